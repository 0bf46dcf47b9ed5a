"""What the reference validator makes of skills, a line of JSON each.

A process of its own, with the folder of the validator's packages as its first argument and those of skills after it.
"""

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, sys.argv[1])

from skills_ref.parser import read_properties  # pyright: ignore[reportMissingImports]
from skills_ref.validator import validate  # pyright: ignore[reportMissingImports]

for folder in map(Path, sys.argv[2:]):
    answer: dict[str, Any]
    try:
        answer = {"listed": not validate(folder)}
        if answer["listed"]:
            answer["description"] = read_properties(folder).description
    except Exception as error:
        answer = {"breaks": type(error).__name__}
    print(json.dumps(answer))
