"""What a skill gives and prescribes, counted, and its workflow as steps.

Not here: whether an agent followed them (`benchmark.judging.adherence`).
"""
