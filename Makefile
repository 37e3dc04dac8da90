# make run    the service with nine games of different kinds, and a demo dealer that keeps playing; GAMES=all: with all 75;
#             DATA=other: in another folder than data/
# make test   runs the checks and the tests of every change, in eight minutes on two cores
# make nightly   runs all other tests and a soak of ten minutes, and writes tests/nightly.json; ONLY="crashes faults" runs parts of it,
#             PYTHON=python3.13 uses another Python, and then runs the tests of `make test`, too
# make bench  measures everything, or ONLY="measure_play measure_audit"; JSON=figures.json writes the figures there too;
#             BASE=<commit> measures that commit and this one in turn, ROUNDS=3 times each, and compares them
# make battery   dieharder and NIST SP 800-22 on samples of `collect`: takes hours, see docs/battery.md
# make fuzz   fuzzes every parser, SECONDS=60 for each of them
# make clean-logs   judges two hundred made-up honest logs of a mixed catalogue: how many raise an alarm
# make soak   plays for an hour, or SECONDS=600, while faults come at random; SEED=7 chooses the same faults again,
#             DATABASE=sqlite has them in a data folder instead of on a server
# make mutants   changes the code of the protocol, and lists the changes that no test notices
# make pictures   plays, and takes the pictures of the documents again
# make release   dist/foredraw-VERSION: wheels, the verifier as one file and as one page, the badge, what is needed and what to compare
# make lock   rewrites requirements/: each package that is installed, with its version and hashes
# make bets   computes the odds that the regulation leaves open, and writes games/returns.json, the vectors of paytables, the tables of docs/bets.md and the data of verifier/browser/games
# make messages   updates the translations of the pages, and lists what has to be translated

PYTHON ?= python3
PORT ?= 8000
GAMES ?= kinds
DATA ?=
SECONDS ?= 60
MODULES ?=
ONLY ?=
JSON ?=
BASE ?=
ROUNDS ?= 3
SEED ?=
DATABASE ?= postgresql
# TIER=nightly: `make tools` also installs what only the tests of the night need.
TIER ?=
# Another Python's environment is beside the first: see `nightly`.
VENV ?= .venv
# The user's own setting of pip, which environments refuse.
override export PIP_USER := 0
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install -qq --disable-pip-version-check
# If Python may not or is not to write bytecode, each start of a program would compile all files again.
COMPILE := $(BIN)/python -m compileall -q api fairness games verifier
# Says what it runs, how long it has taken so far, and in the end how long it took.
STAGE := $(PYTHON) -m tests.tiers.stages
LOCKED := $(INSTALL) --require-hashes --requirement
# UPGRADE=--upgrade takes the newest versions; without it, versions that pyproject.toml allows do not change.
UPGRADE ?=
# What the tests need from npm, in the versions and with the hashes of its lock file. None of it runs when it is installed.
NPM := tests/npm/node_modules/.package-lock.json
# What makes clients of /openapi.json, and calls by it: only for the tests of the night.
CLIENTS := $(VENV)/clients/installed
LOCK = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --only-binary :all: \
	--emit-build-options --custom-compile-command 'make lock' $(UPGRADE) pyproject.toml

.PHONY: run test nightly ready python bench battery fuzz soak clean-logs mutants pictures release lock bets messages install check tools programs format clean

run: install
	@exec $(BIN)/foredraw $(if $(DATA),--data '$(DATA)') serve --demo --games $(GAMES) --port $(PORT)

install: $(VENV)/installed

# Asks the environment whether it answers. What that finds no longer good is made again at once: make has looked already.
python:
	@again=$$($(PYTHON) -m tests.tiers.environment check $(VENV)) || exit 1; \
		test -z "$$again" || $(MAKE) --no-print-directory VENV=$(VENV) PYTHON=$(PYTHON) $$again

$(VENV)/installed: pyproject.toml requirements/service.txt api/programs/foredraw verifier/foredraw-verify | python
	@test -x $(BIN)/python || $(STAGE) "Making $(VENV)" $(PYTHON) -m tests.tiers.environment make $(VENV)
	@$(STAGE) "Installing the service's packages (the first time, this takes a minute)" $(LOCKED) requirements/service.txt
	@$(STAGE) "Installing Foredraw" $(INSTALL) --no-deps --no-build-isolation --editable .
	@$(STAGE) "Compiling" $(COMPILE)
	@$(PYTHON) -m tests.tiers.environment installed $(VENV)

$(VENV)/installed-dev: $(VENV)/installed requirements/dev.txt
	@$(STAGE) "Installing the tests' packages" $(LOCKED) requirements/dev.txt
	@touch $@

check: $(VENV)/installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tests.tiers.statements

# `tests/tiers` installs what is missing, and names what runs; its first docstring is the map.
test: python
	@$(PYTHON) -m tests.tiers test

nightly: SECONDS = 600
nightly: python
	@$(PYTHON) -m tests.tiers nightly --seconds $(SECONDS) --only '$(ONLY)'

ready: $(VENV)/installed-dev
	@$(STAGE) "Compiling the tests" $(COMPILE) tests

tools: programs $(NPM) $(if $(filter nightly,$(TIER)),$(CLIENTS))

programs:
	@tests/tools.sh$(if $(TIER), $(TIER))

$(NPM): tests/npm/package-lock.json | programs
	@npm ci --prefix tests/npm --ignore-scripts --no-audit --no-fund --loglevel=error --silent
	@touch $@

# In an environment of their own, because one of them is a plugin of pytest as well, which no other test needs.
$(CLIENTS): $(VENV)/installed-dev requirements/clients.txt
	@$(BIN)/python -m venv --clear --without-pip $(VENV)/clients
	@$(STAGE) "Installing what makes clients of the description" $(LOCKED) requirements/clients.txt --ignore-installed --prefix $(VENV)/clients
	@touch $@

bench: $(VENV)/installed-dev tools
	$(BIN)/python -m benchmarks $(if $(JSON),--json '$(JSON)') $(if $(BASE),--base '$(BASE)' --rounds $(ROUNDS)) $(ONLY)

battery: $(VENV)/installed-dev
	$(BIN)/python -m benchmarks.battery

fuzz: $(VENV)/installed-dev
	$(BIN)/python -m fuzz --seconds $(SECONDS)

clean-logs: $(VENV)/installed-dev
	$(BIN)/python -m tests.soak.clean_logs

soak: SECONDS = 3600
soak: $(VENV)/installed-dev tools
	$(BIN)/python -m tests.soak --seconds $(SECONDS) --database $(DATABASE) $(if $(SEED),--seed $(SEED))

pictures: $(VENV)/installed-dev tools
	$(BIN)/python -m tests.pictures

release: $(VENV)/installed
	@$(LOCKED) requirements/release.txt
	@$(BIN)/python -m standalone.release dist

mutants: $(VENV)/installed-dev
	@$(LOCKED) requirements/mutants.txt
	$(BIN)/mutmut run $(MODULES)
	$(BIN)/mutmut results

# The other files have the versions of dev.txt, so that what is installed is what was tested. Nothing is built from source on an
# operator's machine, so each package must have a wheel for every Python and processor that we support.
lock: $(VENV)/installed
	@$(LOCKED) requirements/lock.txt
	$(LOCK) --extra build --extra service --extra postgres --extra s3 --extra par --extra traces --extra stats --extra lab --extra release --extra dev -o requirements/dev.txt
	$(LOCK) -c requirements/dev.txt --extra build -o requirements/verifier.txt
	$(LOCK) -c requirements/dev.txt --extra build --extra service --extra postgres --extra s3 --extra par -o requirements/service.txt
	$(LOCK) -c requirements/dev.txt --extra build --extra stats --extra lab -o requirements/stats.txt
	$(LOCK) -c requirements/dev.txt --extra traces -o requirements/traces.txt
	$(LOCK) -c requirements/dev.txt --extra clients -o requirements/clients.txt
	$(LOCK) -c requirements/dev.txt --extra mutants -o requirements/mutants.txt
	$(LOCK) -c requirements/dev.txt --extra release -o requirements/release.txt
	$(LOCK) -c requirements/dev.txt --extra lock -o requirements/lock.txt
	@for python in 3.11 3.12 3.13 3.14; do for machine in x86_64 aarch64; do \
		echo "Python $$python on $$machine: is there a wheel of every package?"; \
		$(BIN)/uv pip install --quiet --dry-run --target build --python-version $$python --python-platform $$machine-unknown-linux-gnu \
			--require-hashes -r requirements/service.txt -r requirements/stats.txt -r requirements/traces.txt || exit 1; \
	done; done

bets: $(VENV)/installed-dev
	@$(BIN)/python -m tests.bets

messages: $(VENV)/installed-dev
	@$(BIN)/python -m tests.messages

format: $(VENV)/installed-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf .venv .venv-* tests/npm/node_modules .fuzz mutants build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
