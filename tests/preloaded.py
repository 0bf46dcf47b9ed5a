"""What the server of `tests.commands` imports once for all commands: all that they would, but for what pytest must load itself.

Those are its plugins, whose assertions it rewrites, and what is run as a program.
"""

import gc
import importlib

LIBRARIES = (
    *("_pytest.assertion.rewrite", "_pytest.unittest", "aiohttp.web", "allure_commons.model2", "httpx", "jinja2.ext"),
    *("markdown_it", "matplotlib.backends.backend_svg", "matplotlib.figure", "playwright.sync_api", "pydantic.type_adapter"),
    *("rich.table", "scipy.optimize", "scipy.stats", "typer", "xdist"),
)
OURS = (
    *("agents.registry", "benchmark.cli.doctor", "benchmark.cli.report", "benchmark.cli.skills", "benchmark.cli.validate"),
    *("benchmark.plan.forecast", "benchmark.run.engine", "benchmark.run.regrade", "benchmark.run.session"),
    *("benchmark.webdev.cli", "benchmark.webdev.suite", "benchmark.webdev.webbench.source", "fixtures.sandbox.local"),
    *("fixtures.web.playwright_thread", "reports.chains.sections", "reports.output.terminal", "reports.output.write"),
    *("reports.page.html", "skills.profile.profile", "skills.slicing.ablate"),
)

for name in (*LIBRARIES, *OURS):
    importlib.import_module(name)
# Forked processes share what is here for as long as they do not collect it.
gc.freeze()
