"""What a scripted model says in place of a real one, turn by turn: the form in which a client's positive control is written."""

from typing import NotRequired, TypedDict


class ShellTurn(TypedDict):
    """A command for the client's own shell tool, whatever it is called."""

    shell: str


class ToolTurn(TypedDict):
    """A call of one of the client's tools by its name."""

    tool: str
    input: NotRequired[object]


class TextTurn(TypedDict):
    """Words, which end the client's run."""

    text: str


ScriptedTurn = ShellTurn | ToolTurn | TextTurn
