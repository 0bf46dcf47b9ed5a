"""The way of a judged suite to the model that grades: metered, cached by content, and never a score of its own."""

import base64
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from agents.llm import Content, ContextOverflow, ImagePart, TextPart
from agents.registry import model_id
from benchmark.core.errors import Fault
from benchmark.core.files import hash_json, sha256
from benchmark.core.json_types import JsonObject
from benchmark.core.model import AgentSpec, Data, TrialSpec, Usage, total
from benchmark.judging.judge import Judge, JudgeSession
from benchmark.store.store import Store
from benchmark.suite.contract import JudgeChannel, Judgement
from skills.profile.workflow import Rejected

if TYPE_CHECKING:
    from fixtures.gateway.client import Gateway

#: Raised when what a question is sent as changes: answers that were kept before are not taken.
FORM = 1
PICTURES = {b"\x89PNG": "image/png", b"\xff\xd8": "image/jpeg"}


class ModelJudge(JudgeChannel):
    """Asks one model about one trial; `usage` is what its answers cost, without those that were there before."""

    def __init__(self, about: str, judge: Judge, spec: AgentSpec, store: Store) -> None:
        self._about = about
        self._judge = judge
        self._spec = spec
        self._store = store
        self._usages: list[Usage] = []

    @property
    def usage(self) -> Usage:
        """What was asked in this trial."""
        return total(self._usages)

    def ask(self, question: str, images: Sequence[bytes] = (), *, schema: type[Data]) -> Judgement:
        key = hash_json(
            [
                "judge",
                FORM,
                model_id(self._spec),
                self._spec.api_base,
                self._spec.options,
                _shown(question, images),
                _form(schema),
            ]
        )
        with self._store.asking(key):
            kept = self._store.grade(key)
            if kept is not None:
                return Judgement(schema.model_validate(kept["value"]), answer=kept["answer"])
            return self._asked(key, question, images, schema)

    def _asked(self, key: str, question: str, images: Sequence[bytes], schema: type[Data]) -> Judgement:
        with self._judge.session(self._about) as session:
            try:
                value = session.ask(_content(question, images, schema), lambda data: _accepted(schema, data))
            except Rejected as rejected:
                return self._failed(session, f"judge: its answer was rejected twice: {rejected.problems[0]}")
            except ContextOverflow as error:
                return self._failed(session, f"judge: the question does not fit its context: {error}")
            except Fault as fault:
                return self._failed(session, f"judge: {fault}")
            self._usages.append(session.usage)
            answer = self._store.put(session.last.encode())
        self._store.put_grade(key, {"value": value.model_dump(mode="json"), "answer": answer})
        return Judgement(value, answer=answer)

    def _failed(self, session: JudgeSession, reason: str) -> Judgement:
        self._usages.append(session.usage)
        return Judgement(None, reason=reason)


def _shown(question: str, images: Sequence[bytes]) -> list[str]:
    return [question, *map(sha256, images)]


def _form(schema: type[Data]) -> JsonObject:
    return schema.model_json_schema()


def _content(question: str, images: Sequence[bytes], schema: type[Data]) -> Content:
    """The question with the form of its answer, and the pictures after it as data URLs: nothing is fetched from anywhere."""
    text = f"{question}\n\nAnswer with one JSON object that fits this schema:\n{json.dumps(_form(schema))}"
    if not images:
        return text
    parts: list[TextPart | ImagePart] = [{"type": "text", "text": text}]
    for data in images:
        kind = next((kind for start, kind in PICTURES.items() if data.startswith(start)), None)
        if kind is None:
            raise ValueError("a picture for a judge is PNG or JPEG")
        parts.append({"type": "image_url", "image_url": {"url": f"data:{kind};base64,{base64.b64encode(data).decode()}"}})
    return parts


def _accepted(schema: type[Data], data: Any) -> Data:
    try:
        return schema.model_validate(data)
    except ValidationError as error:
        rows = [f"{'.'.join(map(str, row['loc'])) or 'the object'}: {row['msg']}" for row in error.errors()[:10]]
        raise Rejected(rows) from error


def judge_of(spec: TrialSpec, store: Store, gateway: "Gateway | None") -> ModelJudge:
    """The judge of one trial. Raises Fault where there is no gateway to ask it through."""
    if gateway is None or spec.judge is None:
        raise Fault(f"{spec.id}: its grading asks a model, and there is no {'gateway' if spec.judge else 'judge'}")
    return ModelJudge(spec.id, Judge(gateway, spec.judge), spec.judge, store)
