"""What a suite adds to the page, the terminal and Allure: titled tables, pictures and HTML, made from an audit."""

from collections.abc import Sequence
from dataclasses import dataclass

#: Skill, agent, delivery: whose question a section belongs to.
Question = tuple[str, str, str]


@dataclass(frozen=True)
class Table:
    """Columns by their heads, and rows of text. The first `labels` columns are words, the others numbers."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    labels: int = 1


@dataclass(frozen=True)
class Section:
    """One titled part. The terminal prints its table and notes, the page all of it, Allure attaches it.

    `figure` is SVG and `html` markup that the suite answers for (Jinja2's Markup; plain text is escaped); both must not load
    anything. `question` puts it among the details of one skill, agent and delivery; None is the whole audit's.
    """

    title: str
    table: Table | None = None
    figure: str | None = None
    html: str | None = None
    notes: tuple[str, ...] = ()
    question: Question | None = None
    #: Whether the terminal prints it: what is long is for the page alone.
    terminal: bool = True
