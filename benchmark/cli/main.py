"""The `assay` command: what is done beside running pytest. Every command takes --json.

Commands are imported when they are called, so that a module of commands imports what it needs at its top.
"""

import errno
import sys
from functools import partial
from importlib import import_module
from typing import Any

import typer

from benchmark.cli.late import LateCommand, LateGroup
from benchmark.core.errors import StoreFailed, UsageError, system_reason
from benchmark.core.text import print_anything, print_error
from benchmark.run import interrupts
from benchmark.suite.discovery import suite_commands, suite_module

HELP = (
    "Skill Assay: should this skill be given to this agent for this kind of work? Trials are run by pytest; "
    "this command plans, checks, reports and cleans up."
)
#: Every command in the order of the help: its module here, and the first paragraph of its own help.
COMMANDS = {
    "report": (
        "report",
        "Make the summary, the page, results.json, JUnit and the Allure results again from the records.",
    ),
    "calibrate": (
        "calibrate",
        "Judge audits that are made up, with effects that are known, and see whether verdicts err as seldom as they promise.",
    ),
    "validate": (
        "validate",
        "Prove that tasks are sound: solutions solve, what should not solve does not, every check can fail, repeats agree.",
    ),
    "doctor": (
        "doctor",
        "Examine this machine: browser, Node, packages, engine, image, commands inside. Exit 1 if something is missing.",
    ),
    "plan": (
        "plan",
        "Print what a run would consist of: trials, sharing, tokens, cost, smallest effect detectable. Writes nothing.",
    ),
    "regrade": (
        "regrade",
        "Grade kept workspaces again with today's checks, tools and judge, without running an agent.",
    ),
    "steps": (
        "adherence",
        "Write down the steps that a skill prescribes, once: a model takes it apart, and the file in the store can be edited.",
    ),
    "followed": (
        "adherence",
        "Judge which of a skill's steps agents followed, skipped or contradicted once they had it before them.",
    ),
    "clean": (
        "clean",
        "Remove containers and temporary folders whose process is gone, and only those.",
    ),
    "skills": (
        "skills",
        "What can be known of a skill before any trial: faults, slices, controls, tiers, scores, origin.",
    ),
}

#: What the system says of files that cannot be read or written where they are: nothing of it is a fault of ours.
DISK = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.EISDIR, errno.EEXIST}
DISK |= {errno.EFBIG, errno.EIO, errno.ENAMETOOLONG}


def app() -> LateGroup:
    """All commands, those that suites add as well; none of them is imported."""
    found = [LateCommand(name, line, partial(_own, module, name)) for name, (module, line) in COMMANDS.items()]
    found += [LateCommand(row.name, row.help, partial(_of_suite, suite)) for suite, row in suite_commands().items()]
    return LateGroup(name="assay", help=HELP, no_args_is_help=True, commands=found)


def _own(module: str, name: str) -> Any:
    return getattr(import_module(f"benchmark.cli.{module}"), name)


def _of_suite(suite: str) -> Any:
    return getattr(suite_module(suite, "cli"), "COMMANDS")  # noqa: B009


def main() -> None:
    """Run the command; a mistake in what was asked is one line and exit code 2, a disk that fails one and exit code 3."""
    print_anything()
    interrupts.watch()
    try:
        sys.exit(app()(standalone_mode=False))
    except UsageError as error:
        print_error(error)
        sys.exit(2)
    except StoreFailed as failed:
        print_error(failed)
        sys.exit(3)
    except typer.Exit as leave:
        sys.exit(leave.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(interrupts.EXIT_CODE)
    except OSError as error:
        if error.errno not in DISK:
            raise
        print_error(system_reason(error))
        sys.exit(3)
    except Exception as error:
        # typer raises its own usage errors with a message and an exit code; all else is a fault of ours and shows itself.
        if not hasattr(error, "format_message"):
            raise
        message = error.format_message()  # type: ignore[attr-defined]
        # A command of commands that is called alone has shown its help and has no more to say.
        if message:
            print_error(f"{message}; see assay --help")
        sys.exit(2)


if __name__ == "__main__":
    main()
