"""The science of SKILL.md: loading and diagnostics, slices and variants, matching, tiers, profile, and the collection itself.

Not here: how a skill's folder is mounted (`fixtures`) or what agents make of it (`agents`).
"""
