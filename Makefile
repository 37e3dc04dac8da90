# make run    the service with its six games, and a demo dealer that keeps playing
# make test   proves everything
# make bench  measures everything
# make battery   dieharder and NIST SP 800-22 on what the lab collects: hours, see docs/battery.md
# make fuzz   throws bytes at every parser, SECONDS=60 for each of them
# make mutants   changes the code of the protocol, and lists the changes that no test notices
# make pictures   plays, and takes the pictures of the documents anew
# make verifier   the verifier as one file, which needs nothing but Python; and as one page, which needs nothing but a browser
# make messages   brings the translations of the pages up to date, and says what is to be translated

PYTHON ?= python3
PORT ?= 8000
SECONDS ?= 60
MODULES ?=
BIN := .venv/bin

.PHONY: run test bench battery fuzz mutants pictures verifier messages install check tools format clean

run: install
	@exec $(BIN)/foredraw serve --demo --port $(PORT)

install: .venv/installed

.venv/installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Foredraw needs Python 3.11 or newer, this is " + sys.version.split()[0])'
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "Installing into .venv (the first time, this takes a minute)…"
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --editable '.[service]'
	@touch $@

.venv/installed-dev: .venv/installed
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --editable '.[service,par,stats,lab,dev]'
	@touch $@

check: .venv/installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# A process for each core; a file's tests stay together, for they share what is dear to make.
test: check tools
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile

tools:
	@tests/tools.sh

bench: .venv/installed-dev
	$(BIN)/python -m benchmarks

battery: .venv/installed-dev
	$(BIN)/python -m benchmarks.battery

fuzz: .venv/installed-dev
	$(BIN)/python -m fuzz --seconds $(SECONDS)

pictures: .venv/installed-dev tools
	$(BIN)/python -m tests.pictures

verifier: .venv/installed
	@$(BIN)/python -m standalone.build dist/foredraw-verify.pyz
	@$(BIN)/python -m standalone.page dist/verify.html
	@cd dist && sha256sum foredraw-verify.pyz verify.html > SHA256SUMS

mutants: .venv/installed-dev
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --editable '.[mutants]'
	$(BIN)/mutmut run $(MODULES)
	$(BIN)/mutmut results

messages: .venv/installed-dev
	@$(BIN)/python -m tests.messages

format: .venv/installed-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf .venv .fuzz mutants build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
