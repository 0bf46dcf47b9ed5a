"""Where skills are from: sources, licences, the lock of a collection, adding to one and listing it.

Not here: the skills themselves (`collection`).
"""
