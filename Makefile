# The two commands are `make book` and `make test`; the rest is for who works on the book. CONTRIBUTING.md has each as a plain command.
PYTHON ?= python3
CHAPTERS ?= $(wildcard chapters/*.ipynb)
BIN := .venv/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)

.PHONY: book test test-all mutants serve run fmt lock
book: .venv/installed
	jupyter-book build --all --warningiserror --keep-going --quiet .
	@echo "The book is built: open $(CURDIR)/_build/html/index.html"

test: .venv/installed
	pytest

mutants: .venv/installed
	python tests/mutants.py

run: .venv/installed
	jupyter execute --inplace $(CHAPTERS) --NbClientApp.log_level=ERROR
	nbstripout --keep-output --keep-count --keep-id --extra-keys "metadata.language_info cell.metadata.execution" $(CHAPTERS)

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
