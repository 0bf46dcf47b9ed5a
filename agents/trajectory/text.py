"""Texts and JSON of any origin made such that a file can hold them: of bounded length and depth, and valid UTF-8."""

import math
import re
from typing import Any

#: Longest text of one message or result, in characters; what is longer is cut and ends with CUT.
LIMIT = 200_000
CUT = "\n[cut here: the rest of this text was too long to keep]"
#: Objects and lists deeper inside arguments and extras are left out: writers and readers of JSON give up somewhere.
DEPTH = 100
SURROGATE = re.compile("[\ud800-\udfff]")


def mend(value: Any) -> Any:
    """A string without lone surrogates, which no UTF-8 file can hold (pairs are joined); anything else as it is."""
    if isinstance(value, str) and SURROGATE.search(value):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value


def plain(value: Any, depth: int = 0) -> Any:
    """Any value as something that every JSON reader accepts."""
    if depth > DEPTH and isinstance(value, dict | list | tuple):
        return f"[deeper than {DEPTH} levels]"
    if isinstance(value, dict):
        return {mend(str(key)): plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, depth + 1) for item in value]
    if value is None or isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return mend(value if isinstance(value, str) else str(value))


def shorter(value: Any, limit: int) -> Any:
    """JSON with every text in it cut to `limit` characters."""
    if isinstance(value, str):
        return value if len(value) <= limit else value[:limit] + CUT
    if isinstance(value, dict):
        return {key: shorter(item, limit) for key, item in value.items()}
    return [shorter(item, limit) for item in value] if isinstance(value, list) else value
