"""The options that suites add to pytest and to `assay plan`: from the command line into a panel's table of the suite."""

import inspect
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

from benchmark.plan.panel import DEMO, PANELS, Overrides
from benchmark.suite.capabilities import ProjectSource, SuiteOption
from benchmark.suite.discovery import find_suite, suite_options


def setting(suite: str, key: str) -> str:
    """The name under which a parser keeps the value of a suite's option."""
    return f"suite_{suite}_{key}".replace("-", "_")


def given_settings(value: Callable[[str, str], Any]) -> dict[str, dict[str, Any]]:
    """What was given of suites' options, by suite and key; `value` gives that of one, None where it was not given."""
    found: dict[str, dict[str, Any]] = {}
    for suite, options in suite_options().items():
        for option in options:
            given = value(suite, option.key)
            if given is not None:
                path = str(Path(given).expanduser().resolve()) if option.path else given
                found.setdefault(suite, {})[option.key] = path
    return found


def usual_panel(asked: Overrides) -> Path:
    """The panel that is run where none is named: the demo, or the one that the suite has for what was set of it."""
    for name, settings in asked.suite_settings.items():
        suite = find_suite(name)
        usual = suite.usual_panel(settings) if isinstance(suite, ProjectSource) else None
        if usual:
            return PANELS / usual
    return DEMO


def with_suite_options(command: Callable[..., None]) -> Callable[..., None]:
    """A typer command with the options that suites add as well; `given_to` has what they were given."""
    import typer  # pytest does without it

    added: dict[str, tuple[SuiteOption, Any]] = {}
    for suite, options in suite_options().items():
        for option in options:
            metavar = option.metavar if option.const is None else None
            declared: Any = typer.Option(option.name, help=option.help, metavar=metavar)
            kind: Any = str | None if option.const is None else bool
            added[setting(suite, option.key)] = option, Annotated[kind, declared]

    @wraps(command)
    def wrapped(context: Any, **given: Any) -> None:
        for name, (option, _) in added.items():
            value = given.pop(name)
            given_to(context)[name] = value if option.const is None else option.const if value else None
        command(context, **given)

    signature = inspect.signature(command)
    more = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False if option.const else None, annotation=kind)
        for name, (option, kind) in added.items()
    ]
    setattr(wrapped, "__signature__", signature.replace(parameters=[*signature.parameters.values(), *more]))  # noqa: B010
    wrapped.__annotations__ = {**command.__annotations__, **{name: kind for name, (_, kind) in added.items()}}
    return wrapped


def given_to(context: Any) -> dict[str, Any]:
    """What options that suites added were given on a command's line, by name."""
    return context.ensure_object(dict)
