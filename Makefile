# Keel for people in a hurry. CMakeLists.txt is the build; these are the commands worth remembering.

BUILD   := build
DEMO    := $(BUILD)/demo
SOURCES := cli src include tests bench samples fuzz
FUZZ_SECONDS := 60

.DEFAULT_GOAL := build
.PHONY: build demo test bench papers format deps asan fuzz clean help
.NOTPARALLEL:

build: ## build the program (build/keel)
	@scripts/install-deps.sh --check
	@cmake --preset release >/dev/null
	@cmake --build $(BUILD) --target keel

demo: deps build ## install what is missing, build, simulate Andrews' squeezing mechanism
	@mkdir -p $(DEMO)
	@$(BUILD)/keel run models/andrews.yaml -o $(DEMO)/andrews.csv --summary $(DEMO)/andrews.json
	@echo
	@echo "The trajectory is in $(DEMO)/andrews.csv, the summary in $(DEMO)/andrews.json."
	@echo "Next: '$(BUILD)/keel help', models/ has more mechanisms, README.md a first model of your own."

test: deps build ## install what is missing, build, run all tests
	@cmake --build $(BUILD)
	@ctest --test-dir $(BUILD) --output-on-failure --parallel $$(nproc)

bench: deps build ## build and run the benchmarks
	@scripts/bench.sh $(BUILD)

papers: deps build ## recompute the experiments of papers (docs/eich.md, garcia.md, bottasso.md)
	@cmake --build $(BUILD) --target bench_eich bench_garcia bench_bottasso
	@mkdir -p $(BUILD)/garcia docs/images/garcia docs/images/bottasso
	@$(BUILD)/bench/bench_eich models > $(BUILD)/eich.md && mv $(BUILD)/eich.md docs/eich.md
	@$(BUILD)/bench/bench_garcia models $(BUILD)/garcia docs/images/garcia > $(BUILD)/garcia.md \
		&& mv $(BUILD)/garcia.md docs/garcia.md
	@$(BUILD)/bench/bench_bottasso models docs/images/bottasso > $(BUILD)/bottasso.md \
		&& mv $(BUILD)/bottasso.md docs/bottasso.md
	@echo "The pages are docs/eich.md, docs/garcia.md and docs/bottasso.md."

format: ## format all C files
	@find $(SOURCES) -name '*.[ch]' -print0 | xargs -0 clang-format -i

deps: ## install what the build and the tests need (Debian, Ubuntu)
	@scripts/install-deps.sh

asan: deps ## build with the address and undefined-behaviour sanitizers, run the tests
	@cmake --preset asan >/dev/null
	@cmake --build build-asan
	@ctest --test-dir build-asan --output-on-failure --parallel $$(nproc) --label-exclude slow

fuzz: ## run each fuzz target for FUZZ_SECONDS seconds (needs clang)
	@scripts/install-deps.sh --ci
	@cmake --preset fuzz >/dev/null
	@cmake --build build-fuzz
	@scripts/fuzz.sh build-fuzz $(FUZZ_SECONDS)

clean: ## remove everything that was built
	@rm -rf build build-*

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
