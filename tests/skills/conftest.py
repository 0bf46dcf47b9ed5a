"""How many documents are drawn at random: few a day, many a night (`HYPOTHESIS_PROFILE=nightly`)."""

import os

from hypothesis import HealthCheck, settings

#: The same examples in every run, none kept between runs.
settings.register_profile(
    "daily",
    max_examples=60,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
#: Other examples every night; what fails says how it is drawn again.
settings.register_profile(
    "nightly",
    settings.get_profile("daily"),
    max_examples=1_000,
    derandomize=False,
    print_blob=True,
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "daily"))
