"""Agents by name: each is one class in one module, imported when it is asked for.

An agent of this project is a module of this folder and a line of AGENTS. Others come from installed packages, by an entry point
of the group GROUP, or from any module that the environment variable VARIABLE names (docs/agents.md shows both). Our own names
cannot be taken by others.
"""

import os
import pkgutil
import sys
from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points

from agents.base import Agent
from benchmark.core.errors import UsageError, unknown
from benchmark.core.model import AgentSpec

#: Where each class is, as MODULE:CLASS.
AGENTS = {
    "reference": "agents.scripted.reference:ReferenceAgent",
    "noop": "agents.scripted.noop:NoopAgent",
    "planted": "agents.scripted.planted:PlantedAgent",
    "web": "agents.web_agent:WebAgent",
    "claude-code": "agents.clients.claude_code:ClaudeCode",
    "codex": "agents.clients.codex:Codex",
    "gemini-cli": "agents.clients.gemini_cli:GeminiCli",
    "kimi": "agents.clients.kimi:Kimi",
    "mini-swe-agent": "agents.clients.mini_swe_agent:MiniSweAgent",
    "openhands": "agents.clients.openhands:OpenHands",
}
GROUP = "skill_assay.agents"
VARIABLE = "ASSAY_AGENTS"


def make_agent(spec: AgentSpec) -> Agent:
    """The agent that `spec` names. Raises UsageError for an unknown name, one whose class cannot be loaded, and settings that
    it does not take."""
    if spec.name in AGENTS:
        return pkgutil.resolve_name(AGENTS[spec.name])(spec)
    # What is on the path decides which packages are installed.
    others = _others(os.environ.get(VARIABLE, ""), tuple(sys.path))
    if spec.name not in others:
        raise unknown("agent", spec.name, [*AGENTS, *others])
    place = others[spec.name]
    try:
        made = pkgutil.resolve_name(place)
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(f"agent {spec.name!r} cannot be loaded from {place}: {error}; name it as MODULE:CLASS") from error
    return made(spec)


@cache
def _others(named: str, path: tuple[str, ...]) -> Mapping[str, str]:
    """Where the classes of other people's agents are, by name. Raises UsageError for a variable that cannot be read."""
    del path
    found = {entry.name: entry.value for entry in entry_points(group=GROUP)}
    for item in named.split():
        name, equals, place = item.partition("=")
        if not equals or ":" not in place:
            raise UsageError(f"{VARIABLE} names {item!r}; write NAME=MODULE:CLASS, with spaces between several")
        found[name] = place
    return found


def model_id(spec: AgentSpec) -> str:
    """The agent's model with its provider, by which it is priced; empty for an agent without a model."""
    provider = make_agent(spec).provider
    if not spec.model or spec.api_base or "/" in spec.model or provider is None:
        return spec.model or ""
    return f"{provider}/{spec.model}"
