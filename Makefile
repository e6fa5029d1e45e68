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
	@python=$$(scripts/find-python.sh) && "$$python" scripts/layers.py lint unit live fleet sanity

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
	@$(in_test_venv) python tests/fleet/fleet_proof.py 3
	@$(in_test_venv) molecule test

.PHONY: fleet-30
fleet-30: root ## site, site again, drift, uninstall on 30 real SSH hosts, with two more that cannot be written to (root)
	@$(in_test_venv) python tests/fleet/fleet_proof.py 30

.PHONY: sanity
sanity: ## ansible-test sanity on one ansible-core
	@scripts/sanity.sh

.PHONY: prove
prove: export FUZZ_EXAMPLES := 20000
prove: ## the proofs in full, of which `make unit` runs samples: 20,000 fuzzed payloads, secret detection beside its peer
	@$(pytest) tests/unit/test_fuzz.py
	@$(in_test_venv) python tests/bench/secret_detection.py --kinds --missed

.PHONY: bench
bench: root ## what the wrapper costs beside a bare Python start, and the transcript reader (root; BENCH_STRICT=1 fails where a target is missed)
	@$(in_test_venv) python tests/bench/bench_wrapper.py
	@$(in_test_venv) python tests/bench/bench_transcript.py

.PHONY: root
root:
	@[ "$$(id -u)" = 0 ] || { echo "This target makes scratch accounts, so it needs root: sudo make ..." >&2; exit 1; }
