"""`web`: a model that gets the project's files and the task, and answers with whole files in fenced code blocks.

The single-turn protocol of Web-Bench's own agent. How an answer is read is `agents.web_answer`; one that is not understood
for certain costs a turn: nothing of it is written, and the model is told what was not understood.
"""

import time

from agents.base import AttemptRequest, AttemptResult, WorkspaceFiles
from agents.llm import ApiRefused, ContextOverflow, Message, SamplingOptions, chat
from agents.trajectory.atif import Builder
from agents.web_answer import ParsedAnswer, parse_answer
from benchmark.core.errors import Fault, UsageError
from benchmark.core.files import Files
from benchmark.core.model import AgentSpec, Delivery, Usage, total

SYSTEM = """You are a web developer working on a small project.
You are given the project's files and one task, and you answer with every file that you add or change, whole.
Put each file into a fenced code block whose info string is the language and the file's path, like this:

```html index.html
<!doctype html>
```

Use a longer fence (````) around a file that contains ``` itself. Files that you do not mention stay as they are.
Give each file once. What is not a file, such as a command, goes into a ```text or ```bash block without a path.
"""
FILE_LIMIT = 200_000
#: Answers that may be tried at one attempt, where its limits do not say.
TURNS = 4
CUT = ParsedAnswer(
    {}, "Nothing was written: the answer was cut off at the output limit. Give fewer or shorter files in one answer."
)


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

    def run(self, request: AttemptRequest, workspace: WorkspaceFiles) -> AttemptResult:
        """Ask for files until an answer is usable, a limit is reached, or the turns are used up."""
        if request.endpoint is None:
            raise Fault("web was started without a way to its model")
        asked = f"{listing(workspace.files())}\n{request.prompt}"
        messages: list[Message] = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": asked}]
        builder = Builder("web", self.version, self._model)
        builder.system(SYSTEM)
        builder.user(asked)
        end = time.monotonic() + request.limits.seconds
        usages: list[Usage] = []
        limit = fault = None
        for _ in range(request.limits.turns or TURNS):
            left = end - time.monotonic()
            if left <= 0:
                limit = "seconds"
                break
            try:
                reply = chat(request.endpoint, messages, seconds=left, options=self._options)
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
            messages.append({"role": "assistant", "content": reply.text})
            messages.append({"role": "user", "content": answer.wrong})
            builder.user(answer.wrong)
        else:
            limit = "turns"
        return AttemptResult(builder.build(), total(usages), limit, fault)


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
