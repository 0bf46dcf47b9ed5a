"""Agents without a model: they write what the suite holds, so that the instrument can be tested.

Not here: agents that ask a model (`clients`, `web_agent`).
"""
