"""What a failed Playwright test says, as a class and as plain words: what was expected and what was seen.

The words are for the feedback that hides the specs: no selectors, no lines of source, no stacks, and of files only those
of the workspace. Playwright's messages are told apart by how they begin; what a page holds may say anything and decides
nothing.
"""

import re
from collections.abc import Sequence

from benchmark.core.model import FailureClass
from benchmark.webdev.grade import PART_LIMIT, UNREADABLE

Words = tuple[FailureClass, str, str]
ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
#: Our side, by a message's first line: the browser does not start, gives no page, or a worker was killed from outside.
OURS = re.compile(
    r"Error: (?:browserType\.launch|browser\.newContext|browserContext\.newPage): "
    r'|Test timeout of \d+ms exceeded while setting up "(?:browser|context|page|playwright|request)"'
    r'|Fixture "(?:browser|context|page|playwright|request)" timeout of \d+ms exceeded during setup'
    r"|Error: worker process exited unexpectedly \(code=\w+, signal=SIG"
)
EXITED = "Error: worker process exited unexpectedly"
CRASHED = re.compile(r"\w*Error: [\w.]+: (?:Target|Page) crashed")
CLOSED = re.compile(r"\w*Error: [\w.]+: Target page, context or browser has been closed")
#: What follows another error when Playwright tidies up after a test.
AFTERMATH = re.compile(r'Test timeout of|Tearing down |Fixture "|\w*Error: (?:browserContext|browser)\.close:')
CALL = re.compile(r"(?:Timeout)?Error: (\w+)\.(\w+): (.*)")
NETWORK = re.compile(
    r"Error: (?:\w+\.\w+: (net::ERR_\w+)|apiRequestContext\.\w+: .*?(\bE(?:CONN|PIPE|AI_|NOTFOUND)\w*|socket hang up))"
)
MATCHER = re.compile(r"^(?:\w*Error: )?expect\((\w+)\)\.((?:(?:not|resolves|rejects)\.)*)(to\w+)\(([^)\n]*)\)", re.M)
SUBJECTS = {"locator": "the element", "page": "the page"}
LABEL = re.compile(r"(Expected|Received|Locator|Timeout|Error)\b([ \w]*): *(.*)")
#: Where a message ends and its log, the lines of source or the stack begin.
END = re.compile(r"Call [Ll]og:|Browser logs:|=+ logs =+|[> ] *\d+ \||\s+at .")
NAVIGATION = ("goto", "reload", "goBack", "goForward", "waitForURL", "waitForLoadState", "waitForNavigation", "setContent")
SCRIPT = re.compile(r"evaluate|\$\$?eval|waitForFunction")


def plain(text: str) -> str:
    """`text` without the terminal's colours and movements."""
    return ANSI.sub("", text)


def head(message: str) -> str:
    return message.split("\n", 1)[0]


def explain(messages: Sequence[str], timed_out: bool, workspace: str) -> Words:
    """Class, expected and seen of a failed test. `messages` are its errors in their order, plain; `timed_out`: its status."""
    heads = [head(message) for message in messages]
    if any(OURS.match(line) for line in heads):
        return "grader", "", ""
    if any(line.startswith(EXITED) for line in heads):
        return "crash", "the test runs to its end", "its process was ended from within"
    if any(CRASHED.match(line) for line in heads):
        return "crash", "the page keeps running", "it crashed"
    told = [message for message in messages if not AFTERMATH.match(message)]
    if timed_out:
        return "timeout", *_timed_out(told[0] if told else "", workspace)
    if not told:
        return UNREADABLE
    if CLOSED.match(told[0]):
        return "crash", "the page keeps running", "the page or the browser was closed"
    # A test may go on after an expectation that failed (expect.soft): each is told.
    several = [message for message in told if MATCHER.search(message)]
    if len(several) > 1 and several[0] == told[0]:
        words = [_assertion(message, workspace) for message in several]
        expected, seen = (
            cut("\n".join(f"{n}. {part}" for n, part in enumerate(parts, 1))) for parts in zip(*words, strict=True)
        )
        return "assertion", expected, seen
    return _explain_one(told[0], workspace)


def _explain_one(message: str, workspace: str) -> Words:
    first = head(message)
    if MATCHER.search(message) and not CALL.match(first):
        return "assertion", *_assertion(message, workspace)
    if names(first, workspace):
        return load_words(message, workspace)
    call = CALL.match(first)
    if not call:
        # Without a frame of the workspace, the spec's own code met content that it could not read: its error tells of it.
        raised = _raised_in(message, workspace)
        return ("assertion", f"{raised} runs without an error", cut(first)) if raised else UNREADABLE
    network = NETWORK.match(first)
    if "strict mode violation" in first:
        return "assertion", "exactly one element that fits", cut(_several(message))
    if network:
        return "server", "the site answers", network[1] or network[2]
    if first.startswith("TimeoutError: "):
        return "timeout", *_timed_out(message, workspace)
    if SCRIPT.fullmatch(call[2]) or "selector" in first:
        return UNREADABLE
    expected = "the page loads" if call[2] in NAVIGATION else f"something to {_spaced(call[2])}"
    return "assertion", expected, cut(_own_files(call[3].removeprefix("Error: "), workspace))


def _raised_in(message: str, workspace: str) -> str:
    """The workspace's file in the first frame of the stack, where a spec called it in Node; '' where it is another file."""
    frame = re.search(r"^ +at (.*):\d+:\d+\)?$", message, re.M)
    found = frame and re.search(rf"{re.escape(workspace)}/(.*)", frame[1])
    return found[1] if found else ""


def names(text: str, workspace: str) -> bool:
    """Whether `text` names the folder `workspace` or a file below it."""
    return re.search(rf"(?<![\w./-]){re.escape(workspace)}(?![\w.-])", text) is not None


def load_words(message: str, workspace: str) -> Words:
    """Of a file of the workspace that Node could not load, from the error's message (the stack may be in it)."""
    file = re.search(rf"{re.escape(workspace)}/([^\s'\"():]+)", message)
    told = re.sub(r" imported from .*", "", head(message))
    return "load", f"{file[1] if file else 'the workspace'} can be loaded", cut(_own_files(told, workspace))


def _own_files(text: str, workspace: str) -> str:
    """Files of the workspace by their names in it, other files not at all."""
    text = text.replace(workspace + "/", "").replace(workspace, ".")
    return re.sub(r"(?<![\w:/.])/(?:[\w.@-]+/)+[\w.@-]+", "a file", text)


def _assertion(message: str, workspace: str) -> tuple[str, str]:
    matcher = MATCHER.search(message)
    assert matcher
    subject = SUBJECTS.get(matcher[1], "the value")
    negated = "not " if "not." in matcher[2] else ""
    sentence = f"{subject} is expected {negated}{_spaced(matcher[3])}"
    wanted, seen = _values(message[matcher.end() :])
    wanted = re.sub(r"^(?:not|[<>]=?) +", "", wanted)  # the matcher's name says it
    # Of a matcher without a value (toBeVisible) Playwright repeats the name.
    expected = f"{sentence}: {wanted}" if wanted and matcher[4] else sentence
    return cut(expected.replace(workspace + "/", "")), cut((seen or "something else").replace(workspace + "/", ""))


def _values(text: str) -> tuple[str, str]:
    """Expected and received of what follows a matcher's name: labelled values, or a difference line by line."""
    lines = text.split("\n")[1:]
    end = next((number for number, line in enumerate(lines) if END.match(line)), len(lines))
    lines = lines[:end]
    if "strict mode violation" in text:
        return _labelled(lines)["Expected"], _several(text)
    start = next((n for n, line in enumerate(lines) if re.fullmatch(r"- Expected  +- \d+", line)), None)
    if start is not None:
        return _difference(lines[start + 2 :], "-"), _difference(lines[start + 2 :], "+")
    values = _labelled(lines)
    if "element(s) not found" in values["Error"]:
        values["Received"] = "nothing on the page fits"
    return values["Expected"], values["Received"]


def _labelled(lines: Sequence[str]) -> dict[str, str]:
    """The first value of each label, over several lines where it has them; further ones (`precision`) behind it."""
    values: dict[str, str] = dict.fromkeys(("Expected", "Received", "Locator", "Timeout", "Error"), "")
    label = ""
    for line in lines:
        found = LABEL.match(line)
        if found:
            label, kind, value = found.groups()
            kind = f"; {kind.strip()} " if values[label] else {" pattern": "text that fits "}.get(kind, "")
            values[label] += kind + value
        elif line.startswith("Received "):
            values["Received"] = line.removeprefix("Received ")
        elif not line:
            label = ""
        elif label:
            values[label] += "\n" + line
    return values


def _difference(lines: Sequence[str], side: str) -> str:
    """One side of a difference: its own lines and those that both have."""
    return "\n".join(line[2:] for line in lines if line.startswith((side, " "))).strip("\n")


def _timed_out(message: str, workspace: str) -> tuple[str, str]:
    first = head(message)
    if MATCHER.search(message) and not CALL.match(first):
        return _assertion(message, workspace)
    call = CALL.match(first)
    if not call:
        return "the test ends within its time", "it did not"
    if call[1] == "apiRequestContext":
        return "the site answers", "no answer within the time"
    if call[2] in NAVIGATION:
        return "the page loads", "it did not finish loading within the time"
    if SCRIPT.fullmatch(call[2]):
        return "the page answers", "no answer within the time"
    event = re.search(r'waiting for event "(\w+)"', message)
    if event:
        return f"a {event[1]}", "none came within the time"
    what = "something to wait for" if call[2].startswith("waitFor") else f"something to {_spaced(call[2])}"
    if "locator resolved to" not in message:
        return what, "nothing on the page fits within the time"
    reason = re.search(r"- (element is not \w+|element is outside of the viewport|<.*> intercepts pointer events)", message)
    return what, cut(f"it is there, but {reason[1]}" if reason else "it is there, but did not become ready in time")


def _several(message: str) -> str:
    elements = re.findall(r"^\s+\d+\) (.*?)(?: aka .*)?$", message, re.M)
    return "more than one element fits: " + "; ".join(elements)


def _spaced(name: str) -> str:
    """`toHaveText` -> `to have text`; names in capitals (CSS, URL) stay."""
    words = re.findall(r"[A-Z]{2,}|[A-Z]?[a-z0-9]+", name)
    return " ".join(word if len(word) > 1 and word.isupper() else word.lower() for word in words)


def cut(text: str) -> str:
    return text if len(text) <= PART_LIMIT else text[: PART_LIMIT - 1] + "…"
