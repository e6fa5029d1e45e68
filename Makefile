# The task runner. `make` lists the targets; each does one real thing and can be run alone.
# The tests run as root: they make and remove scratch accounts and install Debian packages.

SHELL := /bin/sh
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

in_test_venv = venv=$$(scripts/venv.sh test) && PATH="$$venv/bin:$$PATH" ANSIBLE_COLLECTIONS_PATH="$$venv/collections" ANSIBLE_HOME="$$venv/ansible"
pytest = $(in_test_venv) python -m pytest -n 2 --dist loadgroup $(if $(EXHAUSTIVE),,-m "not exhaustive") $(PYTEST_ARGS)

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*## ' Makefile | sed -E 's/^([a-z0-9-]+):.*## /\1\t/' | expand -t 12

.PHONY: site
site: ## configure this machine for you: shows the changes, asks (YES=1: does not), applies. EXTRA="-i inventory -e x=y"
	@scripts/site.sh $(EXTRA)

.PHONY: test
test: root ## everything CI runs, at most 25 minutes (root)
	@scripts/prepare.sh
	@python=$$(scripts/find-python.sh) && "$$python" scripts/layers.py lint unit live fleet prove-sample sanity

.PHONY: test-all
test-all: export HOST_PYTHONS := all
test-all: export EXHAUSTIVE := 1
test-all: root ## everything on every CLI version and host Python, all guard cases deployed, the proofs in full, the benchmark (root)
	@scripts/prepare.sh
	@python=$$(scripts/find-python.sh) && "$$python" scripts/layers.py lint unit live fleet fleet-30 sanity prove bench

.PHONY: prepare
prepare: root ## install what the tests need: Debian packages, virtual environment, pinned CLIs (root)
	@scripts/prepare.sh

.PHONY: lint
lint: ## ansible-lint (production, strict), yamllint, shellcheck. BUNDLE=path: checks that bundle instead (STRICT=1, EXTRA="-e x=y")
ifneq ($(origin BUNDLE),undefined)
	@scripts/bundle-lint.sh "$(BUNDLE)" $(EXTRA)
else
	@$(in_test_venv) ansible-lint --offline --profile production --strict
	@$(in_test_venv) yamllint --strict .
	@shellcheck scripts/*.sh files/hooks_runtime/*.sh .ci/run
endif

.PHONY: unit
unit: ## unit tests and guard tables, then host code on every host Python at hand
	@$(pytest) tests/unit
	@scripts/host-pythons.sh $(HOST_PYTHONS)

.PHONY: live
live: root ## the real CLIs against a scripted model; EXHAUSTIVE=1: every test on every version (root)
	@$(pytest) tests/live

.PHONY: claims
claims: root ## ask every pinned CLI what is claimed of it and write docs/claims.md. COPILOT=VERSION CODEX=VERSION: a new release. ACCEPT=1 (root)
	@$(in_test_venv) python tests/live/claims.py $(if $(COPILOT),--copilot $(COPILOT)) $(if $(CODEX),--codex $(CODEX)) $(if $(ACCEPT),--accept)

.PHONY: fleet
fleet: root ## playbooks and modules on scratch accounts and a real SSH host (root)
	@$(pytest) tests/fleet
	@$(MAKE) -j 2 --output-sync=target molecule kills

.PHONY: molecule
molecule: root ## molecule on three real SSH hosts; EXHAUSTIVE=1: the upgrade from the release before, too (root)
	@$(in_test_venv) molecule test $(if $(EXHAUSTIVE),--all)

.PHONY: kills
kills: root ## five runs that are killed in the middle (root)
	@$(in_test_venv) python tests/fleet/kill_proof.py 1

.PHONY: fleet-30
fleet-30: root ## site, again, smoke, doctor, drift, uninstall on 30 real SSH hosts, with two more that cannot be written to; 50 killed runs (root)
	@$(in_test_venv) python tests/fleet/fleet_proof.py 30
	@$(in_test_venv) python tests/fleet/kill_proof.py 10

.PHONY: sanity
sanity: ## ansible-test sanity; CORE=2.21: on that ansible-core (Python 3.12 or newer). Import and compile on the oldest host Python, HOST_PYTHONS=all: on all
	@scripts/sanity.sh

.PHONY: docs
docs: ## build the documentation site into dist/docs, check changelog and licences; warnings are errors
	@scripts/docs.sh

.PHONY: prove
prove: root ## the proofs: crashes, races, fuzz, attacks, secrets; one table of figures. PROOFS="writer fuzz": those alone (root)
	@$(in_test_venv) python tests/prove/run.py $(PROOFS)

.PHONY: prove-sample
prove-sample: root ## a sample of each proof, as `make test` runs it (root)
	@$(in_test_venv) python tests/prove/run.py --sample $(PROOFS)

.PHONY: build
build: ## build the collection's tarball and its bill of materials (CycloneDX) into dist/, the same bytes every time
	@scripts/build.sh

.PHONY: bench
bench: root ## the wrapper beside a bare Python start, the transcript reader, a fleet of 30 beside pings and builtin tasks (root; BENCH_STRICT=1 fails where a target is missed)
	@$(in_test_venv) python tests/bench/bench_wrapper.py
	@$(in_test_venv) python tests/bench/bench_transcript.py
	@$(in_test_venv) python tests/bench/bench_fleet.py

.PHONY: root
root:
	@[ "$$(id -u)" = 0 ] || { echo "This target makes scratch accounts, so it needs root: sudo make ..." >&2; exit 1; }
