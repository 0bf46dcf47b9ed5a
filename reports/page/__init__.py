"""The self-contained HTML page: its sections, pictures and templates.

Not here: numbers of any kind; everything shown is in the results already.
"""
