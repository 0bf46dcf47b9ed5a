"""Who does the work: scripted agents, and agents with a model behind them. One agent is one module.

Not here: sandboxes, grading, records. An agent gets a prompt and a workspace and says what it did.
"""
