"""Which of a skill's steps an agent followed: the steps, the judgement of one attempt, the report of a plan.

Not here: taking a SKILL.md apart (`skills.profile.workflow`).
"""
