"""What the numbers say: metrics, contrasts, intervals, and the pages made from records.

Not here: anything that runs a trial. Everything in this folder can be made again from the store.
"""
