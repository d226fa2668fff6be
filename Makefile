# Two commands do everything on a fresh machine with Python 3.11 or newer: make demo, make test.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: setup demo test test-slow lint format bench clean

setup: $(STAMP)

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $(STAMP)

demo: $(STAMP)
	$(BIN)/relrep demo --out relrep-demo

# Two files of tests at a time: on two cores that takes three fifths of the time.
test: $(STAMP)
	$(BIN)/python -m pytest -m 'not slow' -n 2 --dist loadfile

test-slow: $(STAMP)
	$(BIN)/python -m pytest -m slow --timeout 7200

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The ratios of docs/results/: BENCH_TEXT is plain text, BENCH_VECTORS vectors of 100 dimensions; BENCH_GLOVE, if
# given, is the compiled program of GloVe's authors (github.com/stanfordnlp/GloVe, src/glove.c).
bench: $(STAMP)
	@test -n "$(BENCH_TEXT)" -a -n "$(BENCH_VECTORS)" || { echo "make bench BENCH_TEXT=text.txt BENCH_VECTORS=glove.100d.txt"; exit 2; }
	$(BIN)/python benchmarks/mining_speed.py $(BENCH_TEXT) $(BENCH_VECTORS)
	$(BIN)/python benchmarks/glove_speed.py $(BENCH_TEXT)
	$(BIN)/python benchmarks/ivlbl_speed.py $(BENCH_TEXT)
	@test -z "$(BENCH_GLOVE)" || $(BIN)/python benchmarks/glove_peer.py $(BENCH_TEXT) --program $(BENCH_GLOVE) --tokens 10000000

clean:
	rm -rf $(VENV) build dist relrep-demo .mypy_cache .ruff_cache .pytest_cache .hypothesis
