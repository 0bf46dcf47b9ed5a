"""Web-Bench's projects, run as they are from a checkout: their tasks, their own Playwright specs, their protocol.

Here: how a checkout is read, graded and validated. Not here: the chain that both kinds of project are walked by
(`webdev.chain`), installing npm packages (`fixtures.packages.npm`).
"""
