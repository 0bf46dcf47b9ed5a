"""The science of SKILL.md: loading, tiers and length matching of skills, and the collection itself.

Not here: how a skill's folder is mounted (`fixtures`) or what agents make of it (`agents`).
"""
