"""A suite in which a trial uses what another one made: runners carry a baton that the first trial of the same arm wrote."""

import inspect

from agents.base import ScriptedSolutions
from benchmark.core.files import Files, hash_json
from benchmark.core.score import UNIT, Score
from benchmark.run.single_task import SingleTask
from benchmark.suite.contract import Grading, TrialContext
from benchmark.suite.metric import Metric, task_mean

TEAMS = ("amber", "blue", "coral", "denim", "ebony", "fern")
BATON, DONE = "baton.txt", "finish.txt"


class Relay(SingleTask):
    """The first runner writes a baton, the second carries it to the finish."""

    name = "relay"
    title = "Relay"
    metrics = (Metric("carried", "carried", UNIT, "share", lambda record: task_mean(record, UNIT), primary=True),)

    def projects(self) -> dict[str, str]:
        # The second runners come first, so that nothing but what they need puts the first ones before them.
        return {f"{team}-{place}": team for place in ("second", "first") for team in TEAMS}

    def family(self, project: str) -> str:
        return self.projects()[project]

    def needs(self, project: str) -> tuple[str, ...]:
        return (f"{self.family(project)}-first",) if project.endswith("second") else ()

    def start(self, project: str) -> Files:
        return {"team.txt": self.family(project).encode()}

    def start_of(self, context: TrialContext) -> Files:
        files = dict(self.start(context.spec.project))
        for record in context.needs.values():
            made = context.store.get_tree(record.tasks[-1].attempts[-1].workspace)
            files[BATON] = made[BATON]
        return files

    def inputs(self, project: str) -> str:
        return hash_json(self.prompt(project, "", None))

    def grade_key(self, project: str) -> str:
        return hash_json([project, inspect.getsource(Relay.grade)])

    def prompt(self, project: str, skill: str, feedback: str | None) -> str:
        del feedback
        what = f"Copy {BATON} to {DONE}" if project.endswith("second") else f"Write your team's name to {BATON}"
        return f"{skill}\n{what}.\n"

    def grade(self, project: str, files: Files, grading: Grading) -> Score:
        del grading
        baton = files.get(DONE if project.endswith("second") else BATON)
        return Score(value=float(baton == self.family(project).encode()))

    def solutions(self, project: str) -> ScriptedSolutions:
        name = DONE if project.endswith("second") else BATON
        return ScriptedSolutions({name: self.family(project).encode()}, {"dropped": {name: b"dropped"}})


SUITE = Relay()
