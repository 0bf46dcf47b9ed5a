"""The minima, levels and margins of METHOD.md, read from method.toml: what nothing else may state for itself."""

import tomllib
from pathlib import Path

_FIGURES = tomllib.loads(Path(__file__).with_name("method.toml").read_text(encoding="utf-8"))

MINIMUM_FAMILIES: int = _FIGURES["minimum_families"]
MINIMUM_REPLICATES: int = _FIGURES["minimum_replicates"]
MINIMUM_REPLICATES_ONLY_THESE: int = _FIGURES["minimum_replicates_only_these"]
MINIMUM_PARTNERS: int = _FIGURES["minimum_partners"]
ALPHA: float = _FIGURES["alpha"]
MARGIN: float = _FIGURES["margin"]
NARROW_LEVEL: float = _FIGURES["narrow_level"]
PREDICTION_LEVEL: float = _FIGURES["prediction_level"]
PREDICTION_MARGINS: float = _FIGURES["prediction_margins"]
BROKEN_IMBALANCE: float = _FIGURES["broken_imbalance"]
TRIAL_SD: float = _FIGURES["trial_sd"]
FAMILY_SD: float = _FIGURES["family_sd"]
POWER: float = _FIGURES["power"]
MOST_FAMILIES: int = _FIGURES["most_families"]
MOST_REPLICATES: int = _FIGURES["most_replicates"]
