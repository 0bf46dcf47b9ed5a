"""What only audits of chains of tasks show: buckets of tasks, how far chains got, where arms diverged. Chain suites contribute
these as sections; no generic module reads them."""
