# A virtual environment with tox in it, and tox for everything else.
VENV := .venv
TOX := $(VENV)/bin/tox

.PHONY: demo test nightly lint perf
demo: $(TOX)
	$(TOX) -q -e demo
test: $(TOX)
	$(TOX) -q -e lint,tests
nightly: $(TOX)
	$(TOX) -q -e nightly
lint: $(TOX)
	$(TOX) -q -e lint
perf: $(TOX)
	$(TOX) -q -e perf

$(TOX):
	python3 -m venv $(VENV)
	$(VENV)/bin/pip install -q tox
