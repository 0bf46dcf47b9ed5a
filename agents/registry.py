"""Agents by name: each is one class in one module of `agents/`, imported when it is asked for."""

from importlib import import_module

from agents.base import Agent
from benchmark.core.errors import unknown
from benchmark.core.model import AgentSpec

AGENTS = {
    "reference": ("agents.scripted.reference", "ReferenceAgent"),
    "noop": ("agents.scripted.noop", "NoopAgent"),
    "planted": ("agents.scripted.planted", "PlantedAgent"),
    "web": ("agents.web_agent", "WebAgent"),
    "claude-code": ("agents.clients.claude_code", "ClaudeCode"),
    "codex": ("agents.clients.codex", "Codex"),
    "gemini-cli": ("agents.clients.gemini_cli", "GeminiCli"),
    "kimi": ("agents.clients.kimi", "Kimi"),
    "mini-swe-agent": ("agents.clients.mini_swe_agent", "MiniSweAgent"),
    "openhands": ("agents.clients.openhands", "OpenHands"),
}


def make_agent(spec: AgentSpec) -> Agent:
    """The agent that `spec` names. Raises UsageError for an unknown name or settings that it does not take."""
    if spec.name not in AGENTS:
        raise unknown("agent", spec.name, AGENTS)
    module, name = AGENTS[spec.name]
    return getattr(import_module(module), name)(spec)


def model_id(spec: AgentSpec) -> str:
    """The agent's model with its provider, by which it is priced; empty for an agent without a model."""
    provider = make_agent(spec).provider
    if not spec.model or spec.api_base or "/" in spec.model or provider is None:
        return spec.model or ""
    return f"{provider}/{spec.model}"
