"""Tables 1 to 5 of WebDev-Skills-Bench by the paper's own estimators, with references for noise.

Not here: anything that decides a verdict.
"""
