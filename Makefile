# A virtual environment with tox in it, and tox for everything else.
VENV := .venv
TOX := $(VENV)/bin/tox

.PHONY: demo test lint nightly perf
demo: $(TOX)
	$(TOX) -q -e demo
test: $(TOX)
	$(TOX) -q -e tests
lint: $(TOX)
	$(TOX) -q -e lint
nightly: $(TOX)
	$(TOX) -q -e nightly
perf: $(TOX)
	$(TOX) -q -e perf

$(TOX):
	python3 -m venv $(VENV)
	$(VENV)/bin/pip install -q tox
