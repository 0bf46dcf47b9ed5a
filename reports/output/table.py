"""Tables for a terminal: the one printer of all of them."""

from collections.abc import Iterator, Sequence
from io import StringIO

from benchmark.core.text import visible

WIDTH = 220


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]], labels: int = 2) -> Iterator[str]:
    """The lines of a table. The first `labels` columns are words and stand left, the others numbers and stand right."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for index, column in enumerate(columns):
        table.add_column(column, justify="left" if index < labels else "right", no_wrap=True)
    for row in rows:
        # As text: what stands in brackets is no markup.
        table.add_row(*(Text(visible(cell)) for cell in row))
    out = StringIO()
    Console(file=out, width=WIDTH, no_color=True).print(table)
    yield from (line.rstrip() for line in out.getvalue().rstrip().splitlines())
