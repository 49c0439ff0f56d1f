SHELL := /usr/bin/env bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
LDFLAGS := -s -w -X main.version=$(VERSION)
TOOL := go tool -modfile=test/tools/go.mod
STATE ?= .state

##@ General

.PHONY: help
help: ## Show this help
	@awk 'BEGIN {FS = ":.*##"} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-zA-Z_-]+:.*##/ {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: deps
deps: ## Install what the tests need: Debian packages, and ajv from npm
	@missing=""; for pair in gcc:gcc node:nodejs npm:npm make:make ip:iproute2 qemu-img:qemu-utils nbdkit:nbdkit; do command -v "$${pair%%:*}" >/dev/null || missing="$$missing $${pair##*:}"; done; \
	if [ -n "$$missing" ]; then apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends $$missing; fi
	npm ci --prefix test/ajv --no-audit --no-fund --loglevel=error

##@ Build

.PHONY: build
build: ## Build bin/cato-operator and bin/catoctl, linked as uds-vm-operator, uds-vmctl and kubectl-cato too
	go build -ldflags "$(LDFLAGS)" -o bin/ ./cmd/cato-operator ./cmd/catoctl
	ln -sf cato-operator bin/uds-vm-operator
	ln -sf catoctl bin/uds-vmctl
	ln -sf catoctl bin/kubectl-cato

.PHONY: controlplane
controlplane: ## Build the test cluster (about 25 minutes on 2 cores, once; cached by hash)
	go run ./test/controlplane/cmd/controlplane

.PHONY: generate
generate: ## Generate deepcopy functions, dashboards and reference pages
	$(TOOL) controller-gen object paths=./api/...
	go run ./dashboards/generate
	go run ./docs/generate

.PHONY: manifests
manifests: ## Generate CRDs, RBAC, the webhook's configuration and the chart's templates
	$(TOOL) controller-gen crd paths=./api/... output:crd:artifacts:config=config/crd/bases
	$(TOOL) controller-gen rbac:roleName=virtfoundry-operator webhook paths=./controllers/... output:rbac:artifacts:config=config/rbac output:webhook:artifacts:config=config/webhook
	go run ./config/chartgen/generate

##@ Test

.PHONY: lint
lint: ## Run go vet and golangci-lint
	go vet ./...
	$(TOOL) golangci-lint run ./...

.PHONY: test
test: deps controlplane ## Run all tests, with the race detector
	$(MAKE) --no-print-directory test-packages
	cd test/chart && go test ./...
	$(MAKE) --no-print-directory test-e2e

.PHONY: test-packages
test-packages:
	go test -race -timeout 40m $$(go list ./... | grep -v '/test/e2e$$')

# Two processes share the specs, each with a cluster of its own: most of a spec is waiting.
GINKGO = go run github.com/onsi/ginkgo/v2/ginkgo run --race --procs=2 --no-color --poll-progress-after=0

.PHONY: test-e2e
test-e2e:
	$(GINKGO) --timeout=70m ./test/e2e

.PHONY: e2e-full
e2e-full: deps controlplane ## Run the end-to-end tests in their full size: 50 kills over 20 tenants and 40 machines
	$(GINKGO) --tags=full --timeout=90m ./test/e2e

# A number of runs, not a duration: in Go 1.26 the end of a duration can race with a worker and
# fail without a finding (golang/go#75804).
FUZZTIME ?= 10000x

.PHONY: fuzz
fuzz: ## Fuzz the decoders of what users send, each FUZZTIME=10000x times
	go test ./policy/facts/cloudinit -run NONE -fuzz 'FuzzDecode$$' -fuzztime $(FUZZTIME)
	go test ./policy/facts/cloudinit -run NONE -fuzz 'FuzzHarden$$' -fuzztime $(FUZZTIME)
	go test ./policy/facts -run NONE -fuzz 'FuzzBytes$$' -fuzztime $(FUZZTIME)
	go test ./api/quantity -run NONE -fuzz 'FuzzUnmarshalJSON$$' -fuzztime $(FUZZTIME)
	go test ./api/platform -run NONE -fuzz 'FuzzDecode$$' -fuzztime $(FUZZTIME)

.PHONY: bench
bench: build ## Print what judging costs, as ratios of one run, and what the operator costs a cluster
	go run ./test/load/bench
	go run ./test/load/operated

##@ See it work

.PHONY: demo
demo: build ## The whole story on a real API server, from nothing
	go run ./test/e2e/demo

.PHONY: demo-keep
demo-keep: build ## The demo, left running with a kubeconfig
	go run ./test/e2e/demo --keep

.PHONY: lula-validate
lula-validate: build ## Print "Control ID / Status" of the operator at https://localhost:8444; ARGS= as in docs/oscal.md
	bin/catoctl oscal assessment-results --table $(ARGS)

##@ Deploy

.PHONY: install
install: ## Install the CRDs into the current cluster
	kubectl apply --server-side -f config/crd/bases

.PHONY: deploy
deploy: ## Deploy the operator image IMG= into the current cluster
	@test -n "$(IMG)" || { echo "make deploy: say which image: make deploy IMG=registry/cato-operator@sha256:…" >&2; exit 2; }
	kubectl apply --server-side -f config/crd/bases
	kubectl kustomize config/default | sed 's#image: cato-operator:latest#image: $(IMG)#' | kubectl apply --server-side -f -

.PHONY: run
run: build ## Run the operator here, against the current kubeconfig's cluster
	bin/cato-operator --state-dir $(STATE)
