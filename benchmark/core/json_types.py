"""The type of JSON that others wrote."""

from collections.abc import Mapping
from typing import TypeAlias

JsonObject: TypeAlias = Mapping[str, object]
"""An object of JSON that somebody else wrote (a client's log, a request, a provider's answer, a package index): of its members
nothing is known until each is looked at. What we make ourselves has a type of its own."""
