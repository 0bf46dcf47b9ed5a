"""A suite that a model judges, on a rubric from 1 to 5 with two dimensions, from the words and a picture of them."""

import inspect
import struct
import zlib
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from agents.base import ScriptedSolutions
from benchmark.core.files import Files, hash_json
from benchmark.core.model import Data
from benchmark.core.score import Scale, Score
from benchmark.run.single_task import SingleTask
from benchmark.suite.capabilities import Judged
from benchmark.suite.contract import Grading
from benchmark.suite.metric import Metric, task_mean
from benchmark.suite.section import Section, Table

if TYPE_CHECKING:
    from reports.audit.metrics import Audit
    from reports.results import Results

SCALE = Scale(low=1, high=5)
TOPICS = ("bees", "bread", "bridges", "clouds", "clocks", "maps")
FILE = "essay.txt"
DIMENSIONS = ("clarity", "structure")
Grade = Annotated[int, Field(ge=1, le=5)]


class Rubric(Data):
    """What the judge answers."""

    clarity: Grade
    structure: Grade
    why: str


class Essays(SingleTask, Judged):
    """Write an essay: the score is the mean of the judge's dimensions."""

    name = "essays"
    title = "Essays"
    metrics = (
        Metric("quality", "quality", SCALE, "points of 5", lambda record: task_mean(record, SCALE), primary=True),
        *(
            Metric(name, name, SCALE, "points of 5", lambda record, name=name: task_mean(record, SCALE, name))
            for name in DIMENSIONS
        ),
    )

    def projects(self) -> dict[str, str]:
        return dict.fromkeys(TOPICS, "")

    def start(self, project: str) -> Files:
        return {"topic.txt": project.encode()}

    def inputs(self, project: str) -> str:
        return hash_json(self.prompt(project, "", None))

    def grade_key(self, project: str) -> str:
        del project
        return hash_json(inspect.getsource(Essays.grade))

    def prompt(self, project: str, skill: str, feedback: str | None) -> str:
        del feedback
        return f"{skill}\nWrite an essay about {project} to {FILE}.\n"

    def grade(self, project: str, files: Files, grading: Grading) -> Score:
        text = files.get(FILE, b"").decode(errors="replace")
        assert grading.judge
        answer = grading.judge.ask(f"Grade this essay about {project}:\n{text}", [picture(len(text))], schema=Rubric)
        if answer.value is None:
            return Score(value=None, scale=SCALE, reason=answer.reason)
        parts = {name: Score(value=getattr(answer.value, name), scale=SCALE) for name in DIMENSIONS}
        mean = sum(part.value or 0 for part in parts.values()) / len(parts)
        evidence = (answer.answer,) if answer.answer else ()
        return Score(value=mean, scale=SCALE, dimensions=parts, explanation=answer.value.why, evidence=evidence)

    def sections(self, audit: "Audit", results: "Results") -> list[Section]:
        del audit
        rows = [(line.skill, line.condition, *(_shown(line.metrics.get(name)) for name in DIMENSIONS)) for line in results.arms]
        return [Section("What the judge saw", Table(("skill", "arm", *DIMENSIONS), rows, labels=2))]

    def solutions(self, project: str) -> ScriptedSolutions:
        good = {FILE: f"A GOOD essay about {project}.".encode()}
        return ScriptedSolutions(good, {"poor": {FILE: f"A POOR essay about {project}.".encode()}})


def _shown(value: float | None) -> str:
    return "not measured" if value is None else f"{value:.2f}"


def picture(width: int) -> bytes:
    """A white PNG, one pixel high."""
    row = zlib.compress(b"\0" + b"\xff" * width)
    chunks = ((b"IHDR", struct.pack(">IIBBBBB", width, 1, 8, 0, 0, 0, 0)), (b"IDAT", row), (b"IEND", b""))
    body = b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + body


SUITE = Essays()
