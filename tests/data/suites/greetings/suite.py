"""A suite of one task a project, scored 0 to 1: write greeting.txt with the right lines. docs/suites.md walks through it."""

import inspect

from agents.base import ScriptedSolutions
from benchmark.core.files import Files, hash_json
from benchmark.core.score import UNIT, Score
from benchmark.run.single_task import SingleTask
from benchmark.suite.contract import Grading
from benchmark.suite.metric import Metric, task_mean

#: By project the lines that greeting.txt has to have.
GREETINGS = {
    "english": ("Hello", "Good night"),
    "french": ("Bonjour", "Bonne nuit"),
    "german": ("Guten Tag", "Gute Nacht"),
    "italian": ("Buongiorno", "Buonanotte"),
    "polish": ("Dzień dobry", "Dobranoc"),
    "spanish": ("Buenos días", "Buenas noches"),
}
FILE = "greeting.txt"


class Greetings(SingleTask):
    """Greet in a language: the score is the share of the lines that are right."""

    name = "greetings"
    title = "Greetings"
    metrics = (
        Metric(
            "lines_right",
            "lines right",
            UNIT,
            "share",
            lambda record: task_mean(record, UNIT),
            primary=True,
            phrase="had {} of the lines right",
        ),
    )

    def projects(self) -> dict[str, tuple[str, ...]]:
        return GREETINGS

    def start(self, project: str) -> Files:
        del project
        return {"README.md": b"Write greeting.txt here.\n"}

    def inputs(self, project: str) -> str:
        return hash_json([self.prompt(project, "", None), self.start(project)["README.md"].decode()])

    def grade_key(self, project: str) -> str:
        return hash_json([GREETINGS[project], inspect.getsource(Greetings.grade)])

    def prompt(self, project: str, skill: str, feedback: str | None) -> str:
        del feedback
        return f"{skill}\nWrite {FILE}: on its first line how to greet in {project}, on its second how to wish a good night.\n"

    def grade(self, project: str, files: Files, grading: Grading) -> Score:
        del grading
        lines = files.get(FILE, b"").decode(errors="replace").splitlines()
        right = sum(line.strip() == wanted for line, wanted in zip(lines, GREETINGS[project], strict=False))
        return Score(value=right / len(GREETINGS[project]), explanation=f"{right} of {len(GREETINGS[project])} lines are right")

    def solutions(self, project: str) -> ScriptedSolutions:
        first, second = GREETINGS[project]
        return ScriptedSolutions(_file(first, second), {"no second line": _file(first, "?"), "nothing right": _file("?", "?")})


def _file(*lines: str) -> Files:
    return {FILE: "".join(f"{line}\n" for line in lines).encode()}


SUITE = Greetings()
