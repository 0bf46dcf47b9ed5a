"""A suite in which less is better: the score counts the misspelt words of a text, from 0 to 20."""

import inspect

from agents.base import ScriptedSolutions
from benchmark.core.files import Files, hash_json
from benchmark.core.score import Scale, Score
from benchmark.run.single_task import SingleTask
from benchmark.suite.contract import Grading
from benchmark.suite.metric import Metric, task_mean

SCALE = Scale(low=0, high=20, better="lower")
TEXTS = {
    f"letter-{number}": f"Dear friend number {number} this letter has twenty words so that every "
    "one of them can be spelt right or wrong"
    for number in range(1, 7)
}
FILE = "letter.txt"


class Typos(SingleTask):
    """Copy a letter without mistakes."""

    name = "typos"
    title = "Typing"
    metrics = (
        Metric("typos", "typos", SCALE, "typos", lambda record: task_mean(record, SCALE), primary=True, phrase="made {}"),
    )

    def projects(self) -> dict[str, str]:
        return TEXTS

    def start(self, project: str) -> Files:
        return {"original.txt": TEXTS[project].encode()}

    def inputs(self, project: str) -> str:
        return hash_json([self.prompt(project, "", None), TEXTS[project]])

    def grade_key(self, project: str) -> str:
        return hash_json([TEXTS[project], inspect.getsource(Typos.grade)])

    def prompt(self, project: str, skill: str, feedback: str | None) -> str:
        del project, feedback
        return f"{skill}\nCopy original.txt to {FILE} without mistakes.\n"

    def grade(self, project: str, files: Files, grading: Grading) -> Score:
        del grading
        wanted, words = TEXTS[project].split(), files.get(FILE, b"").decode(errors="replace").split()
        wrong = sum(word != right for word, right in zip(words, wanted, strict=False)) + max(0, len(wanted) - len(words))
        return Score(value=min(wrong, 20), scale=SCALE, explanation=f"{wrong} words are not as in the original")

    def solutions(self, project: str) -> ScriptedSolutions:
        words = TEXTS[project].split()
        faulty = {f"{count} typos": _file([word[::-1] + "x" for word in words[:count]] + words[count:]) for count in (4, 8)}
        return ScriptedSolutions(_file(words), faulty)


def _file(words: list[str]) -> Files:
    return {FILE: " ".join(words).encode()}


SUITE = Typos()
