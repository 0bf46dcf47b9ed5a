"""What an audit is written to: terminal, Allure, JUnit, step summary, and all of them at once.

Not here: the HTML page (`page`).
"""
