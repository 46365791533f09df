# Two commands do everything on a fresh machine: `make demo` and `make test`.
# They need Python 3.11 or newer; a container engine is installed and started when root on Debian.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
ENVIRONMENTS := $(wildcard environments/*)

.PHONY: help demo test test-all lint format bench images engine pack clean

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(BIN)/.ready: pyproject.toml $(wildcard environments/*/pyproject.toml)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "judgebox needs Python 3.11 or newer; name one: make PYTHON=python3.12 …"; exit 1; }
	@echo "setting up $(VENV) (Python packages; a minute)"
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { [ "$$(id -u)" = 0 ] && apt-get update -qq \
	  && apt-get install -y -qq python3-venv; } || { echo "install python3-venv"; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -q --upgrade 'pip>=25.1'
	@$(BIN)/python -m pip install -q --group dev -e '.[rl,test]' $(addprefix -e ./,$(ENVIRONMENTS))
	@touch $@

engine: ## install and start a container engine if none answers (root on Debian), or say what to do
	@$(PYTHON) .ci/engine.py

images: $(BIN)/.ready engine ## build the judge images that are not there
	@$(BIN)/judgebox image build $(IMAGE_FLAGS)

demo: images ## prove the references, refuse the wrong bodies, score one reply
	@$(BIN)/judgebox doctor
	@$(BIN)/judgebox validate formally-verified-c
	@echo; echo "\$$ judgebox prove data/core-v1/search/first-index/task.c tests/fixtures/reply.md"
	@$(BIN)/judgebox prove data/core-v1/search/first-index/task.c tests/fixtures/reply.md \
	  --oracle data/core-v1/search/first-index/oracle.c || test $$? -eq 1

test: images ## the tests that take under 15 minutes
	@$(BIN)/python -m pytest -m 'not slow'
	@for folder in $(ENVIRONMENTS); do (cd $$folder && $(CURDIR)/$(BIN)/python -m pytest) || exit 1; done

test-all: images ## every test
	@$(BIN)/python -m pytest
	@for folder in $(ENVIRONMENTS); do (cd $$folder && $(CURDIR)/$(BIN)/python -m pytest) || exit 1; done

lint: $(BIN)/.ready ## ruff and mypy --strict
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

format: $(BIN)/.ready ## format the code
	@$(BIN)/ruff check --fix . && $(BIN)/ruff format .

pack: $(BIN)/.ready ## data/core-v1 into the environment package
	@$(BIN)/judgebox pack data/core-v1 environments/formally_verified_c/formally_verified_c/data

bench: images ## speed and memory, as ratios against the bare tools in the same run
	@$(BIN)/judgebox bench

clean: ## remove what the commands above made, but for images and caches
	rm -rf $(VENV) outputs .mypy_cache .pytest_cache .ruff_cache .hypothesis
