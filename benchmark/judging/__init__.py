"""Model judges: a metered way to ask one about words and pictures, rubrics, and which steps of a skill agents followed.

Not here: what a suite asks its judge, and what it makes of the answer.
"""
