"""The web development suite: ordered chains of web tasks, checked in a real browser (WebDev-Skills-Bench, §3).

Here: the projects, how they are loaded, graded and validated. Not here: sandboxes and browsers (`fixtures`), statistics
(`reports`).
"""
