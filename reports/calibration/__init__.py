"""Whether verdicts are right: chains drawn from known truths, judged, and counted.

Not here: the verdicts themselves (`verdict`).
"""
