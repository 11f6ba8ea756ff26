# The two commands are `make book` and `make test`; the rest is for who works on the book. CONTRIBUTING.md has each as a plain command.
PYTHON ?= python3
BIN := .venv/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)
export OMP_NUM_THREADS ?= 1 # small networks are no faster on more, and two chapters run side by side

.PHONY: book test test-all mutants bench pdf serve run fmt repository publish offline newest lock release collect grade report
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
	python -m tools.mutants

# ten minutes on a machine that does nothing else; writes benchmark.md
bench: .venv/installed
	pip install --quiet --no-deps --requirement benchmarks/requirements.txt
	OMP_NUM_THREADS=2 python benchmarks/bench.py

run: .venv/installed
	python -m tools.run_chapters $(CHAPTERS)
	python -m tools.errata_page
	python -m tools.instructors_page

fmt: .venv/installed
	ruff format . && ruff check --fix .

pdf: book
	python -m tools.print_book _build/html _build/attention-by-the-numbers.pdf

serve: book
	python -m http.server --bind 127.0.0.1 --directory _build/html 8000

# homework, as instructors.md explains: CHAPTER=01, for collect FROM=folder-or-zip, OPTIONS='--jobs 4'
release collect grade report: .venv/installed
	python -m homework $@ $(CHAPTER) $(if $(FROM),'$(FROM)') $(OPTIONS)

# the book moves to a fork: make repository URL=https://github.com/you/your-fork
repository:
	$(PYTHON) tools/repository.py '$(URL)'

# the built site becomes the branch gh-pages: pages, student notebooks, what Binder needs
publish: book
	ghp-import --no-history --push --force _build/html

# the two commands without any network
offline: .venv/installed
	bwrap --dev-bind / / --unshare-net $(MAKE) test book

# the chapters with the newest libraries instead of the pinned ones; delete .venv afterwards
newest: .venv/installed
	pip install --quiet --upgrade numpy matplotlib torch
	pytest chapters

lock:
	uv pip compile --quiet --universal --fork-strategy fewest --no-annotate --no-header --group book --group homework --group test pyproject.toml -o requirements.txt

.venv/installed: requirements.txt pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet -r requirements.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	$(BIN)/npm install --silent --no-save --no-audit --no-fund --prefix .venv katex@0.16.22 axe-core@4.14.1 lighthouse@13.5.0
	@touch $@
