"""List what a wheel contains and fail on the usual strays.

Usage: python check_wheel.py dist/*.whl
"""

import sys
import zipfile
from pathlib import PurePosixPath

STRAYS = {"tests", "test", "docs", "examples", "__pycache__", ".git", ".venv"}


def check(path: str) -> list[str]:
    faults = []
    with zipfile.ZipFile(path) as wheel:
        names = [n for n in wheel.namelist() if not n.endswith("/")]
    info = {n.split("/")[0] for n in names if ".dist-info/" in n}
    code = [PurePosixPath(n) for n in names if n.split("/")[0] not in info]
    tops = sorted({p.parts[0] for p in code})
    print(f"{path}: {len(code)} files in {', '.join(tops) or 'nothing'}")
    for p in code:
        print(f"  {p}")
    if len(info) != 1:
        faults.append("not exactly one .dist-info folder")
    if len(tops) != 1:
        faults.append(f"{len(tops)} top-level names, expected one")
    faults += [f"stray: {p}" for p in code if STRAYS & set(p.parts) or p.suffix == ".pyc"]
    if not any("/licenses/" in n or n.upper().endswith("/LICENSE") for n in names):
        faults.append("no licence file")
    if not any(p.name == "py.typed" for p in code):
        print("  note: no py.typed, so type checkers ignore the annotations")
    return faults


def main(paths: list[str]) -> int:
    if not paths:
        print(__doc__)
        return 2
    faults = [f"{path}: {fault}" for path in paths for fault in check(path)]
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
