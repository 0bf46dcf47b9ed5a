"""Reading a panel: the TOML file that says which trials an audit consists of, and what the command line changes of it."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import Field, ValidationError

from benchmark.core.errors import UsageError, unknown
from benchmark.core.model import CONDITIONS, DELIVERIES, Data
from benchmark.core.panel import Panel
from benchmark.suite.discovery import find_suite, suite_names

PANELS = Path(__file__).parents[2] / "panels"
DEMO = PANELS / "demo.toml"
#: The name of a judge's spec: it is asked as the agent of that name asks its model.
JUDGE = "web"


class Overrides(Data):
    """What the command line changes of a panel; None and empty leave it as it is."""

    agent: str | None = None
    model: str | None = None
    api_base: str | None = None
    projects: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    pool: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    delivery: tuple[str, ...] = ()
    replicates: int | None = None
    budget_usd: float | None = None
    judge_model: str | None = None
    judge_api_base: str | None = None
    #: Settings of suites, by suite: what options that suites added were given.
    suite_settings: dict[str, dict[str, Any]] = Field(default_factory=dict)


def load_panel(path: Path, overrides: Overrides | None = None) -> Panel:
    """The panel in `path` with `overrides` applied. Raises UsageError naming the key, the value and what would do."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(f"no panel at {path}; panels are TOML files, see panels/demo.toml") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path} is not a panel: {error}; panels are TOML files, see panels/demo.toml") from error
    base = path.resolve().parent
    if isinstance(data.get("skills"), list):
        data["skills"] = [_path(base, str(item)) if str(item).startswith("path:") else item for item in data["skills"]]
    if isinstance(data.get("pool"), list):
        data["pool"] = [_path(base, str(item)) for item in data["pool"]]
    if isinstance(data.get("judge"), dict):
        data["judge"].setdefault("name", JUDGE)
    over = overrides or Overrides()
    return _checked(_override(_with_settings(data, base, over, str(path)), over), str(path))


def _with_settings(data: dict[str, Any], base: Path, over: Overrides, source: str) -> dict[str, Any]:
    """The panel with the table of its suite, and what options say of it, checked and under `suite_settings`."""
    data.pop("suite_settings", None)
    if not isinstance(data.get("suite"), str):
        raise UsageError(f"{source}: no suite is named; write suite = NAME, one of {', '.join(suite_names())}")
    suite = find_suite(data["suite"])
    table, given = data.pop(suite.name, {}), over.suite_settings.get(suite.name, {})
    for other in over.suite_settings:
        if other != suite.name and over.suite_settings[other]:
            raise UsageError(
                f"{', '.join(over.suite_settings[other])} is set for suite {other}, and {source} is of {suite.name}"
            )
    if not table and not given:
        return data
    known = suite.settings.model_fields if suite.settings else {}
    for key in table if isinstance(table, dict) else ():
        if key not in known:
            raise unknown(f"key of [{suite.name}] (in {source})", key, known)
    if not isinstance(table, dict) or suite.settings is None:
        raise UsageError(f"{source}: suite {suite.name} has no settings of its own; remove {suite.name!r}")
    for key in getattr(suite.settings, "paths", ()):
        if isinstance(table.get(key), str):
            table[key] = _path(base, table[key]).removeprefix("path:")
    settings = _valid(suite.settings, {**table, **given}, f"{source}: {suite.name}")
    return {**data, "suite_settings": settings.model_dump(mode="json", exclude_unset=True)}


def _path(base: Path, item: str) -> str:
    """A path in a panel counts from the panel's folder, one on the command line from where it was given."""
    return f"path:{(base / Path(item.removeprefix('path:')).expanduser()).resolve()}"


def _override(data: dict[str, Any], over: Overrides) -> dict[str, Any]:
    lists = {"projects": over.projects, "conditions": over.conditions, "delivery": over.delivery}
    data |= {key: list(value) for key, value in lists.items() if value}
    if over.skills:
        # A name that is a folder here is meant as the folder; names of the collection have no separator.
        data["skills"] = [_path(Path(), item) if _is_path(item) else item for item in over.skills]
    if over.pool:
        data["pool"] = [_path(Path(), item) for item in over.pool]
    if over.replicates is not None:
        data["replicates"] = over.replicates
    if over.budget_usd is not None:
        data["budget"] = {"usd": over.budget_usd}
    if over.judge_model or over.judge_api_base:
        asked = {"model": over.judge_model, "api_base": over.judge_api_base}
        data["judge"] = {"name": JUDGE, **data.get("judge", {}), **{key: value for key, value in asked.items() if value}}
    if over.agent or over.model or over.api_base:
        data["agents"] = _agents(data.get("agents", []), over)
    return data


def _is_path(item: str) -> bool:
    return item.startswith(("path:", ".", "~")) or "/" in item or "\\" in item


def _agents(agents: Any, over: Overrides) -> list[Mapping[str, Any]]:
    """One agent from the command line; the panel's entry of that name lends its options and limits."""
    name = over.agent or "web"
    known = next((item for item in agents if isinstance(item, dict) and item.get("name") == name), {})
    changes = {"name": name, "model": over.model, "api_base": over.api_base}
    return [{**known, **{key: value for key, value in changes.items() if value}}]


M = TypeVar("M", bound=Data)


def _valid(model: type[M], data: dict[str, Any], source: str) -> M:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{source}: {where}: {first['msg']} (got {first['input']!r:.80})") from error


def _checked(data: dict[str, Any], source: str) -> Panel:
    for key in data:
        if key not in Panel.model_fields:
            raise unknown(f"panel key (in {source})", key, Panel.model_fields)
    # Fresh C1 trials come with the slices that they are compared with, never for themselves.
    to_ask = tuple(name for name in CONDITIONS if name != "C1:fresh")
    for key, known in (("conditions", to_ask), ("delivery", DELIVERIES)):
        values = data.get(key, ())
        for value in values if isinstance(values, list) else ():
            if value not in known:
                raise unknown(key.removesuffix("s"), str(value), known)
    panel = _valid(Panel, data, source)
    labels = [agent.label for agent in panel.agents]
    doubled = next((label for label in labels if labels.count(label) > 1), None)
    if doubled:
        raise UsageError(
            f"{source}: two agents are called {doubled!r}, and tables could not tell them apart; names are made of the agent's "
            "and the model's, so put those that differ otherwise (endpoint, options) into a panel each"
        )
    panel.window  # noqa: B018 — a faulty time is to be told here, not in the middle of a run
    return panel
