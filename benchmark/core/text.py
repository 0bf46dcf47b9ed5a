"""Text of any origin as a person may see it: nothing in it steers a terminal, hides, or turns the order of what is read.

Every output that people read passes its text through `visible` where it leaves the program.
"""

import codecs
import io
import re
import sys

#: Control characters, marks that turn the direction of text or cannot be seen, lone surrogates, and code points that are no
#: characters. The joiners of scripts and emoji (U+200C, U+200D) stay.
_HIDDEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\ufdd0-\ufdef"
    "\U000e0000-\U000e007f" + "".join(f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0, 0x110000, 0x10000))
)
_ONE_LINE = re.compile(f"[\t\n{_HIDDEN}]")
_LINES = re.compile(f"[{_HIDDEN}]")
#: What stands for signs that a terminal's encoding lacks, where "?" would change what is said: a minus stays a minus.
_ASCII = {"−": "-", "–": "-", "—": "-", "±": "+/-", "×": "x", "·": "-", "…": "...", "≤": "<=", "≥": ">=", "→": "->"}
_ASCII |= {"Δ": "delta ", "ρ": "rho", "“": '"', "”": '"', "’": "'", "\u00a0": " "}


def visible(text: str, *, lines: bool = False) -> str:
    r"""The text with everything that controls or deceives written out, as `\x1b`. With `lines` line ends and tabs stay."""
    # Ten times as fast, and true of nearly all text.
    if (text.replace("\n", "").replace("\t", "") if lines else text).isprintable():
        return text
    return (_LINES if lines else _ONE_LINE).sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def visible_json(text: str) -> str:
    """JSON with such characters as JSON's own escapes: it holds the same values."""
    return _LINES.sub(lambda found: _json_escape(found[0]), text)


def _json_escape(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def print_line(line: str) -> None:
    """Print a line for a person, at once."""
    print(visible(line), flush=True)


def print_progress(line: str) -> None:
    """Print a line that is no result: it goes to standard error."""
    print(visible(line), file=sys.stderr, flush=True)


def print_error(error: object) -> None:
    """Print why a command ends, in one line."""
    print_progress(f"assay: {error}")


def print_anything() -> None:
    """From here on what the terminal's encoding lacks is replaced on standard output, instead of ending the program."""
    codecs.register_error("assay", _replaced)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="assay")


def _replaced(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(_ASCII.get(char, "?") for char in error.object[error.start : error.end]), error.end
