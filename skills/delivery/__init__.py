"""How a skill reaches an agent, and what of it the model was sent.

Not here: mounting anything (`fixtures.sandbox`).
"""
