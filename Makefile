# Keel for people in a hurry. CMakeLists.txt is the build; these are the commands worth remembering.

BUILD   := build
DEMO    := $(BUILD)/demo
SOURCES := cli papers src include tests bench samples fuzz python
FUZZ_SECONDS := 60
SEED    := 1
COUNT   := 5000
SHARE   := 1
KILLS   := 200
PREFIX  := /usr/local

.DEFAULT_GOAL := build
.PHONY: build demo test install uninstall bench instructions papers format deps asan tsan analyze coverage fuzz fault kills metamorph orders placements web test-web python test-python clean help
.NOTPARALLEL:

build: ## build the program (build/keel; CMAKE_FLAGS=-DKEEL_WERROR=ON: with warnings as errors)
	@scripts/install-deps.sh --check
	@cmake --preset release $(CMAKE_FLAGS) >/dev/null
	@cmake --build $(BUILD) --target keel

demo: deps build ## install what is missing, build, simulate Andrews' squeezing mechanism, make a page of it
	@mkdir -p $(DEMO)
	@$(BUILD)/keel run models/andrews.yaml -o $(DEMO)/andrews.csv --summary $(DEMO)/andrews.json
	@echo
	@$(BUILD)/keel report models/a03_andrews.yaml -o $(DEMO)/andrews.html >/dev/null
	@echo "The trajectory is in $(DEMO)/andrews.csv, the summary in $(DEMO)/andrews.json."
	@echo "To look at it, open $(DEMO)/andrews.html in a browser."
	@echo "Next: '$(BUILD)/keel help', models/ has more mechanisms, README.md a first model of your own."

test: deps build ## install what is missing, build, run all tests
	@cmake --build $(BUILD)
	@ctest --test-dir $(BUILD) --output-on-failure --parallel $$(nproc)

install: build ## install program, libraries, headers, models and documentation (PREFIX, DESTDIR)
	@cmake --build $(BUILD) --target installable
	@DESTDIR="$(DESTDIR)" scripts/install.sh $(BUILD) "$(PREFIX)"

uninstall: ## remove what was installed (PREFIX, DESTDIR)
	@DESTDIR="$(DESTDIR)" scripts/install.sh --uninstall "$(PREFIX)"

bench: ## install and build other solvers' drivers, run the benchmarks (PROBLEM='andrews a03': only these)
	@scripts/install-deps.sh bench
	@cmake --preset release >/dev/null
	@scripts/bench.sh $(BUILD) '$(PROBLEM)'

instructions: ## instructions of reading, starting and stepping models, beside the baseline (MODELS="four_bar ring_10": only these)
	@scripts/install-deps.sh --ci
	@cmake -S . -B build-x86-64-v3 -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS=-march=x86-64-v3 -DBUILD_TESTING=OFF >/dev/null
	@cmake --build build-x86-64-v3 --target bench_instructions
	@bench/instructions.sh build-x86-64-v3/bench/bench_instructions -b bench/instructions.txt $(MODELS)

.PHONY: laws
laws: ## makes src/mechanism/generated from the laws in src/laws (docs/laws.md)
	@scripts/install-deps.sh --ci
	@cmake -S . -B build -DBUILD_TESTING=OFF >/dev/null
	@cmake --build build --target laws

.PHONY: scaling
scaling: ## instructions of a step by every method, 100 to 2000 bodies (docs/scaling-table.md; an hour; METHODS="dopri5 bdf": only these, to the screen)
	@scripts/install-deps.sh --ci
	@cmake -S . -B build-x86-64-v3 -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS=-march=x86-64-v3 -DBUILD_TESTING=OFF >/dev/null
	@cmake --build build-x86-64-v3 --target bench_scaling
	@if [ -n "$(METHODS)" ]; then bench/scaling.sh build-x86-64-v3/bench/bench_scaling $(METHODS); else \
	    bench/scaling.sh build-x86-64-v3/bench/bench_scaling >docs/scaling-table.md.new && mv docs/scaling-table.md.new docs/scaling-table.md; fi

papers: deps build ## repeat the experiments of five papers (docs/reproduction.md and its pages; build/papers)
	@$(BUILD)/keel reproduce all -o $(BUILD)/papers --markdown docs/reproduction.md --pages docs
	@$(BUILD)/keel reproduce questions -o $(BUILD)/papers --pages docs

format: ## format all C files
	@find $(SOURCES) -name '*.[ch]' -print0 | xargs -0 clang-format -i

deps: ## install what the build and the tests need (Debian, Ubuntu)
	@scripts/install-deps.sh

asan: deps ## build with the address and undefined-behaviour sanitizers, run the tests
	@cmake --preset asan >/dev/null
	@cmake --build build-asan
	@ctest --test-dir build-asan --output-on-failure --parallel $$(nproc) --label-exclude slow

tsan: ## commands that work in threads, with the thread sanitizer
	@scripts/install-deps.sh --ci
	@cmake --preset tsan >/dev/null
	@cmake --build build-tsan --target keel json_paths test_unit_base_crew test_unit_compare_runs
	@ctest --test-dir build-tsan --output-on-failure -R '^(cli_threads|unit_base_crew|unit_compare_runs)$$'

analyze: ## mistakes that can be found without running anything: gcc's analyzer, clang-tidy (.clang-tidy)
	@scripts/install-deps.sh --ci
	@cmake --preset release >/dev/null
	@scripts/analyze.sh clang-tidy $(BUILD)
	@scripts/analyze.sh gcc $(BUILD)

coverage: deps ## lines and branches that the tests reach, as a table (docs/coverage.md; lists in build-coverage)
	@cmake --preset coverage >/dev/null
	@cmake --build build-coverage
	@find build-coverage -name '*.gcda' -delete
	@ctest --test-dir build-coverage --output-on-failure --parallel $$(nproc) --label-exclude slow --timeout 3600
	@scripts/coverage.sh build-coverage

fuzz: ## run fuzz targets for FUZZ_SECONDS seconds each, or FUZZ_RUNS inputs (FUZZ="csv set": only these; needs clang)
	@scripts/install-deps.sh --ci
	@cmake --preset fuzz >/dev/null
	@cmake --build build-fuzz
	@FUZZ_RUNS=$(FUZZ_RUNS) scripts/fuzz.sh build-fuzz $(FUZZ_SECONDS) $(FUZZ)

fault: deps ## out of memory at every single allocation (the tests take each place that allocates once)
	@cmake --preset release >/dev/null
	@cmake --build $(BUILD)
	@KEEL_FAULT=all $(BUILD)/tests/test_fault_allocation
	@cd $(BUILD) && KEEL_FAULT=all tests/test_fault_allocation_files
	@$(BUILD)/tests/fault_program $(BUILD)/keel $(BUILD)/tests/libfault_allocator.so models --all

kills: build ## runs killed at random moments go on from their checkpoints (KILLS=200, SEED; docs/checkpoint.md)
	@cmake --build $(BUILD) --target json_paths
	@KEEL=$$PWD/$(BUILD)/keel JSON_PATHS=$$PWD/$(BUILD)/tests/json_paths SOURCE_DIR=$$PWD KILLS=$(KILLS) SEED=$(SEED) sh tests/cli/resume.sh

scales: ## every model by every integrator, and 200 random mechanisms, in other units (docs/scales.md)
	@scripts/install-deps.sh --check
	@cmake --preset release >/dev/null
	@cmake --build $(BUILD) --target scales metamorph
	@$(BUILD)/tests/scales; $(BUILD)/tests/metamorph --units 200 --seed $(SEED)

.PHONY: honest
honest: ## adaptive methods on every model: errors above 100 tolerances, with reasons (docs/compare.md; MODELS="truck door": only these)
	@scripts/install-deps.sh --check
	@cmake --preset release >/dev/null
	@cmake --build $(BUILD) --target keel
	@scripts/honest.sh $(BUILD)/keel $(MODELS)

orders: ## measured orders of all methods, in steps and in rows, as a table (docs/orders.md)
	@scripts/install-deps.sh --check
	@cmake --preset release >/dev/null
	@cmake --build $(BUILD) --target test_contract_orders
	@$(BUILD)/tests/test_contract_orders --markdown

metamorph: ## random mechanisms against turned, renumbered, rescaled, rounded ones (SEED, COUNT; docs/metamorph.md)
	@scripts/install-deps.sh --check
	@cmake --preset release >/dev/null
	@cmake --build $(BUILD) --target metamorph
	@$(BUILD)/tests/metamorph --seed $(SEED) --count $(COUNT)

placements: ## families of mechanisms counted out in all placements; SHARE=0.1 for a part of it (docs/metamorph.md)
	@scripts/install-deps.sh --check
	@cmake --preset release >/dev/null
	@cmake --build $(BUILD) --target metamorph
	@$(BUILD)/tests/metamorph --placements $(SHARE)

web: ## build the report page web/dist/report.html from web/src (needs npm)
	@scripts/install-deps.sh web
	@cd web && npm ci --ignore-scripts --loglevel=error && npm run --silent check && npm run --silent build

test-web: web ## test the report page in a headless browser
	@cd web && npm run --silent test

python: build ## the Python package as a wheel: build/python/keel-*.whl
	@cmake --build $(BUILD) --target keel_python
	@python3 python/build_wheel.py $(BUILD)

test-python: ## build the wheel, install it into a virtual environment, run its tests
	@scripts/install-deps.sh python
	@$(MAKE) --no-print-directory python
	@scripts/test-python.sh $(BUILD)

clean: ## remove everything that was built
	@rm -rf build build-*

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
