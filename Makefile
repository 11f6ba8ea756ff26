# The two commands are `make book` and `make test`; the rest is for who works on the book. CONTRIBUTING.md has each as a plain command.
PYTHON ?= python3
BIN := .venv/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)
export OMP_NUM_THREADS ?= 1 # small networks are no faster on more, and two chapters run side by side

.PHONY: book test test-all mutants serve run fmt lock
book: .venv/installed
	jupyter-book build --all --warningiserror --keep-going --quiet .
	@echo "The book is built: open $(CURDIR)/_build/html/index.html"

test: .venv/installed
	pytest -m "not slow" -n 2

# what takes longer: mutants of the core, then every chapter with other numbers of threads and another processor's arithmetic
test-all: .venv/installed mutants
	OMP_NUM_THREADS=4 OMP_WAIT_POLICY=passive pytest chapters
	OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive ATEN_CPU_CAPABILITY=default pytest chapters
	pytest -m slow

mutants: .venv/installed
	python tests/mutants.py

run: .venv/installed
	python tests/run_chapters.py $(CHAPTERS)
	python tests/errata.py

fmt: .venv/installed
	ruff format . && ruff check --fix .

serve: book
	python -m http.server --bind 127.0.0.1 --directory _build/html 8000

lock:
	uv pip compile --quiet --universal --fork-strategy fewest --no-annotate --no-header --group book --group test pyproject.toml -o requirements.txt

.venv/installed: requirements.txt pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --requirement requirements.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	$(BIN)/npm install --silent --no-save --no-audit --no-fund --prefix .venv katex@0.16.22
	@touch $@
