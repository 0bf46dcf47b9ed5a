"""What an audit concludes: verdicts, mechanisms, looks, gates, routing advice, and their sentences.

Not here: estimation (`stats`, `audit`) and layout (`page`).
"""
