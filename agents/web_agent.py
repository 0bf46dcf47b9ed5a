"""`web`: a model that gets the project's files and the task, and answers with whole files in fenced code blocks.

The single-turn protocol of Web-Bench's own agent, with real Markdown parsing: a block counts when its info string names a
file (```` ```js app.js ````), wherever it stands in the document and whatever fences it holds inside. A name outside the
workspace is refused, nothing of that answer is written, and the model is told.
"""

import re
import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import PurePosixPath

from markdown_it import MarkdownIt

from agents.base import Ask, Run, Workspace
from agents.llm import ApiRefused, ContextOverflow, Message, SamplingOptions, chat
from benchmark.errors import Fault, UsageError
from benchmark.files import Files, UnsafeName, safe_name
from benchmark.model import AgentSpec, Delivery, Usage, total

SYSTEM = """You are a web developer working on a small project.
You are given the project's files and one task, and you answer with every file that you add or change, whole.
Put each file into a fenced code block whose info string is the language and the file's path, like this:

```html index.html
<!doctype html>
```

Use a longer fence (````) around a file that contains ``` itself. Files that you do not mention stay as they are.
"""
FILE_LIMIT = 200_000
#: Answers that may be tried at one attempt, where its limits do not say.
TURNS = 4
#: Forms in which models give a path although they are asked for the bare one.
MARKS = ("path=", "file=", "filename=", "title=")


@dataclass(frozen=True)
class Answer:
    """The files of one reply, and what is wrong with it in words for the model."""

    files: Files
    wrong: str | None = None


CUT = Answer({}, "Nothing was written: the answer was cut off at the output limit. Give fewer or shorter files in one answer.")


class WebAgent:
    version = "3"
    scripted = False
    provider: str | None = None
    deliveries: tuple[Delivery, ...] = ("prompt",)
    bundled: frozenset[str] = frozenset()

    def __init__(self, spec: AgentSpec) -> None:
        if not spec.model:
            raise UsageError(
                "agent web needs a model: give --model PROVIDER/NAME, and --api-base URL for an endpoint of your own"
            )
        self._model = spec.model
        self._options = SamplingOptions.of(spec)

    def run(self, ask: Ask, workspace: Workspace) -> Run:
        """Ask for files until an answer is usable, a limit is reached, or the turns are used up."""
        from agents.trajectory import Builder

        if ask.door is None:
            raise Fault("web was started without a way to its model")
        messages: list[Message] = [
            {"role": "system", "content": SYSTEM},
            {"role": "user", "content": f"{listing(workspace.files())}\n{ask.prompt}"},
        ]
        builder = Builder("web", self.version, self._model)
        builder.system(SYSTEM)
        builder.user(messages[1]["content"])
        end = time.monotonic() + ask.limits.seconds
        usages: list[Usage] = []
        limit = fault = None
        for _ in range(ask.limits.turns or TURNS):
            left = end - time.monotonic()
            if left <= 0:
                limit = "seconds"
                break
            try:
                reply = chat(ask.door, messages, seconds=left, options=self._options)
            except TimeoutError:
                limit = "seconds"
                break
            except ContextOverflow:
                limit = "context"
                break
            except (ApiRefused, Fault) as refused:
                # The gateway knows whether that was a limit, the budget, or the provider.
                fault = str(refused)
                break
            usages.append(reply.usage)
            builder.agent(reply.text, reasoning=reply.thoughts or None, usage=reply.usage)
            answer = CUT if reply.cut else parse_answer(reply.text, workspace.files())
            if answer.wrong is None:
                workspace.write(answer.files)
                break
            messages += [{"role": "assistant", "content": reply.text}, {"role": "user", "content": answer.wrong}]
            builder.user(answer.wrong)
        else:
            limit = "turns"
        return Run(builder.build(), total(usages), limit, fault)


def listing(files: Files) -> str:
    """The workspace's text files as fenced blocks of the same form as answers; others are named with their size."""
    parts = ["The project's files:\n"]
    for name, data in files.items():
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            text = None
        if text is None or len(data) > FILE_LIMIT:
            parts.append(f"({name}: {len(data)} bytes, not shown)\n")
            continue
        fence = "`" * max(3, _longest_run(text) + 1)
        parts.append(f"{fence}{name.rpartition('.')[2]} {name}\n{text}{'' if text.endswith(chr(10)) else chr(10)}{fence}\n")
    return "\n".join(parts)


def _longest_run(text: str) -> int:
    longest = run = 0
    for char in text:
        run = run + 1 if char == "`" else 0
        longest = max(longest, run)
    return longest


def parse_answer(text: str, there: Collection[str] = ()) -> Answer:
    """The files that a reply names; of two blocks for one file the last counts. `there` are the workspace's files."""
    files: Files = {}
    refused = []
    for token in MarkdownIt("commonmark").parse(text):
        if token.type != "fence":
            continue
        name = _named(token.info)
        if name is None:
            continue
        try:
            files[safe_name(name)] = token.content.encode("utf-8", errors="replace")
        except UnsafeName as error:
            refused.append(str(error))
    refused += _clashes(files, there)
    if refused:
        return Answer({}, f"Nothing was written. Refused: {'; '.join(refused)}. Use paths relative to the project's folder.")
    if not files:
        return Answer({}, "No file was found in the answer. Put each file whole into a block that begins ```language path.")
    return Answer(files)


def _clashes(files: Files, there: Collection[str]) -> list[str]:
    """What cannot be written because a file would have to be a folder at the same time."""
    taken = {*files, *there}
    folders = {above.as_posix() for name in taken for above in PurePosixPath(name).parents}
    bad = [name for name in files if name in folders]
    bad += [name for name in files if any(above.as_posix() in there for above in PurePosixPath(name).parents)]
    return [f"{name!r} is a file and a folder at once" for name in bad]


def _named(info: str) -> str | None:
    """The file that an info string names: its second word, its only word when that looks like a path, or what is marked.

    A name with spaces must be marked, quoted, or end like a file's: prose after the language names no file.
    """
    words = info.strip().split(maxsplit=1)
    if not words or (len(words) == 1 and "." not in words[0] and "/" not in words[0]):
        return None
    given = words[-1].strip()
    name = given
    for mark in MARKS:
        name = name.removeprefix(mark)
    plain = name.strip("\"'`")
    prose = name == given == plain and " " in name and not re.search(r"\.\w{1,8}$", name)
    return None if prose else plain or None
