"""Running one trial: a sandbox, the skill, the agent, grading, the record. Not here: which trials there are, what they mean."""
