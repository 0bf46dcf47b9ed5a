"""What Web-Bench tells attempt 2: Playwright's line report, tidied so that the same workspace gives the same words."""

import re
from collections.abc import Iterator, Sequence

from benchmark.webdev.grade import FEEDBACK_LIMIT
from benchmark.webdev.webbench.failure_messages import plain
from benchmark.webdev.webbench.report import RUN_LIMIT, PlaywrightRun

TOO_LONG = (
    f"The tests did not end within {RUN_LIMIT // 60} minutes and were stopped: "
    "the page or the server may be in an endless loop."
)
#: Progress; what the browser logs (process ids, its command line); files that nobody but the grader has;
#: how tidying up after a test that was late ended; slow files.
DROPPED = re.compile(
    r"\[\d+/\d+\]|<|\s*Browser logs:|\s*<launch(?:ing|ed)> |\s*\[pid=\d+\]|\s+Error Context: "
    r"|\s+Error: browserContext\.close: "
    r"|\s+Slow test file: |\s+Consider running tests"
)
FAILURE = re.compile(r"  \d+\) ")
SUMMARY = re.compile(r"  \d+ (?:failed|interrupted|flaky|skipped|did not run|passed)\b")
LOG_ENDS = re.compile(r"\s*>? *\d+ \||\s+at |  \d+\) |\s*\w*Error: ")
COUNT = re.compile(r"^\s+(?:- |\d+ × )?")


def feedback(ran: PlaywrightRun, roots: Sequence[str]) -> str:
    """The report's failures in Playwright's own words, with lines of the specs: FEEDBACK_LIMIT characters at most.

    Paths below `roots` begin with '.'; durations and counts of retries are left out. For the feedback that hides the specs
    see `grade.feedback`.
    """
    if ran.late:
        return TOO_LONG
    lines = [line.rstrip().rstrip("─").rstrip() for line in plain(ran.said).splitlines()]
    lines = [line for line in lines if line and not DROPPED.match(line)]
    text = "\n".join(re.sub(r"^(  \d+ passed) \(.*\)$", r"\1", line) for line in _once(lines))
    return _cut(shortened(text, roots))


def _once(lines: Sequence[str]) -> Iterator[str]:
    """Each line of a call log once: how often the browser looked again depends on the machine."""
    seen: set[str] | None = None
    for line in lines:
        if line.strip() in ("Call log:", "Call Log:"):
            seen = set()
        elif LOG_ENDS.match(line):
            seen = None
        elif seen is not None:
            bare = COUNT.sub("", line)
            if bare in seen or re.fullmatch(r"waiting \d+ms", bare):
                continue
            seen.add(bare)
            line = f"      - {bare}"
        yield line


def shortened(text: str, roots: Sequence[str]) -> str:
    for root in sorted(roots, key=len, reverse=True):
        text = re.sub(rf"(?<![\w.-]){re.escape(root.rstrip('/'))}(?![\w.-])", ".", text)
    return text


def _cut(text: str) -> str:
    """`text`, or as many whole failures of it as fit (of a first one that is too long, its beginning)."""
    if len(text) <= FEEDBACK_LIMIT:
        return text
    room = FEEDBACK_LIMIT - 100  # for the line that says what is missing
    ends = [match.start() for match in re.finditer(rf"^(?:{FAILURE.pattern}|{SUMMARY.pattern})", text, re.M)]
    end = max((place for place in ends if 0 < place <= room and text[:place].strip()), default=room)
    first = next(iter(ends), 0)
    if end <= first:
        end = room
    more = len(re.findall(rf"^{FAILURE.pattern}", text[end:], re.M))
    return f"{text[:end].rstrip()}\n… {len(text) - end:,} more characters are left out, {more} more failed tests among them"
