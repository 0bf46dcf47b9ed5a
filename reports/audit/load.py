"""The plan of a store, and what was observed of it."""

from pydantic import ValidationError

from benchmark.core.errors import UsageError
from benchmark.core.stored_plan import StoredPlan
from benchmark.store.store import Store
from reports.audit.metrics import Audit, observe


def load_plan(store: Store, digest: str | None) -> StoredPlan:
    """The plan with that hash, or the store's last one. Raises UsageError where there is none, or none that can be read."""
    paths = store.panels()
    chosen = [path for path in paths if path.stem.startswith(digest)] if digest else paths[-1:]
    if not chosen:
        which = f"with the hash {digest}" if digest else "at all"
        raise UsageError(f"no plan {which} in {store.root}; run pytest with --runs {store.root} first")
    try:
        return StoredPlan.model_validate_json(chosen[-1].read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        said = f"{where}: {first['msg']}" if where else first["msg"]
        raise UsageError(f"{chosen[-1]} is no plan any more: {said}; run pytest again to plan anew") from error


def audit_of(store: Store, plan: StoredPlan) -> Audit:
    """What was observed of a plan."""
    return observe(store, plan, plan.panel.window)
