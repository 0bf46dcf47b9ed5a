"""A group of commands whose modules are imported when they are called, so that each may import what it needs at its top."""

from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group


class LateCommand(TyperCommand):
    """A command, or a group of them, of which only the name and one line of help are known until it is called.

    `load` imports the function, or the Typer of a group.
    """

    def __init__(self, name: str, help: str, load: Callable[[], Any]) -> None:
        super().__init__(name, help=help)
        self._load = load

    def loaded(self) -> Any:
        """The command itself, under this one's name."""
        found = self._load()
        around = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        if isinstance(found, typer.Typer):
            around.add_typer(found, name=self.name)
        else:
            around.command(self.name)(found)
        return get_group(around).commands[str(self.name)]


class LateGroup(TyperGroup):
    """A group that lists its commands without importing them, and imports the one that is called or completed."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        return name, command.loaded() if isinstance(command, LateCommand) else command, rest
