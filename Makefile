# Main targets: `make demo` and `make test`; most others are parts of them.

SHELL := /bin/sh
CARGO ?= cargo
PYTHON ?= python3

# Cargo's target folder, which the installer uses, too.
TARGET := $(if $(CARGO_TARGET_DIR),$(CARGO_TARGET_DIR),target)
TRACEBOOK := $(TARGET)/release/tracebook

# The active virtual environment, or `.venv`.
VENV := $(if $(VIRTUAL_ENV),$(VIRTUAL_ENV),.venv)
BIN := $(VENV)/bin
# Flags of `make install`: the active environment if there is one.
INSTALL ?= $(if $(VIRTUAL_ENV),--sys-prefix,--user)

DEMO := notebooks/trace_diff_demo
EXECUTED := $(DEMO).executed.ipynb

# The folder of third-party traces and recorded answers; tests that need it are skipped without it.
export TRACEBOOK_SHARED ?= $(CURDIR)/../shared
# Answers to random statements of SQL, which a Rust test writes and a Python test compares with those of DuckDB.
export TRACEBOOK_SQL_ANSWERS ?= $(abspath $(TARGET))/sql-answers

# A crate of rust-analyzer's parser reads it at compile time: setting or unsetting it would recompile what uses the parser.
unexport CI

.DEFAULT_GOAL := help
# Cargo works in parallel; the targets run in order.
.NOTPARALLEL:
.PHONY: help demo test check hooks ruff check-js typescript fmt commits clippy cargo-test doc pytest build venv venv-active ray ray-venv wheel kernel install uninstall notebooks demo-data machine machine-test bench bench-cells bench-companions bench-browser bench-memory bench-scale bench-explain bench-critical-path bench-sql bench-statistics bench-splits bench-revision site reference completion-index fuzz conformance soak deny clean

help:
	@echo 'make demo       build, install the kernel into a virtual environment, execute the demo notebook'
	@echo 'make test       format, lints, every test, the notebooks, a browser (needs chromium)'
	@echo 'make check      the part of make test without Python'
	@echo 'make hooks      check formatting and the rules of the house before each commit'
	@echo 'make check-js   type check of the JupyterLab extension (make test runs it too)'
	@echo 'make install    build, and install the kernel for you (INSTALL="$(INSTALL)"; or --user, --prefix DIR, --sys-prefix)'
	@echo 'make wheel      write dist/tracebook-*.whl: kernel, kernelspec and extension in one file for pip'
	@echo 'make site       build the documentation site (installs mdBook once)'
	@echo 'make reference  regenerate the reference of magics in the guide'
	@echo 'make completion-index  regenerate the completion index of polars, plotly, serde_json and std (std needs rust-src)'
	@echo 'make screenshots  regenerate docs/images from the demo traces in JupyterLab (needs chromium)'
	@echo 'make notebooks  execute the committed notebooks in place'
	@echo 'make bench      compare loading with HTA, polars, DuckDB, orjson (BENCH_SIZES=35M,250M; BENCH_WRITE=1 writes docs/benchmarks.md)'
	@echo 'make bench-cells  time the kernel (start, magics, Rust cells) and stock evcxr (EVCXR= leaves it out)'
	@echo 'make bench-companions  first calls of magics on 100,000 events of graph replays, without and with the capture of the graph (MAGICS=flame,explain)'
	@echo 'make bench-browser  time timelines, tables, trees and conversations in Chromium (BROWSER_EVENTS=1000000)'
	@echo 'make bench-explain  time and memory of explanations of 10 thousand to 10 million events'
	@echo 'make bench-sql        seconds of statements of SQL on 10 million events'
	@echo 'make bench-critical-path  time and memory of causal graphs of 10 thousand to 10 million events and of their replays; call graphs'
	@echo 'make bench-memory  64 ranks within a memory budget: answers, memory, time (MEMORY_SIZES=100M,1G,8G; MEMORY_WRITE=1 writes docs/benchmarks.md)'
	@echo 'make bench-scale  small and large ranks by processes and Ray, against one process (SCALE_RANKS=512,4096,512:25000000; SCALE_WRITE=1 writes docs/benchmarks.md)'
	@echo 'make bench-statistics  simulated comparisons: false alarms, changes found, coverage (BENCH_WRITE=1 writes docs/statistics.md)'
	@echo 'make bench-splits  recorded runs of one program divided and compared (SPLIT_RUNS=folders or patterns, SPLITS=200)'
	@echo 'make bench-revision  loads of recorded traces, paired with those of another revision, which is built once (REVISION=86fee0e)'
	@echo 'make fuzz       run every fuzz target for FUZZ_SECONDS=$(FUZZ_SECONDS) seconds'
	@echo 'make deny       check licences, sources and bans of all dependencies (ADVISORIES=advisories checks RustSec, too)'
	@echo 'make soak       run a mixed load for SOAK_SECONDS=$(SOAK_SECONDS); fails if memory, handles or threads grow'
	@echo 'make conformance  run the checks of docs/conformance.md, on an idle and on a busy machine, and write the page'
	@echo 'make demo-data  regenerate notebooks/data/control, /test, /job and /synchronized'

demo: machine venv kernel
	@echo '== executing $(DEMO).ipynb'
	@rm -f $(EXECUTED)
	@'$(BIN)/python' tests/execute.py $(DEMO).ipynb $(EXECUTED)
	@echo
	@echo 'Done. The executed notebook is $(EXECUTED). To open it:'
	@echo
	@echo '    $(BIN)/jupyter lab $(EXECUTED)'
	@echo

test: machine machine-test check venv ruff check-js kernel wheel ray pytest
	@date '+== make test: all passed (%T)'

# Lints first, since they fail faster than tests.
check: fmt commits clippy cargo-test doc

fmt:
	@date '+== format (%T)'
	@$(CARGO) fmt --all --check

# The newest commits since main only, at a minute each; COMMITS=1000 checks all.
COMMITS ?= 3

commits:
	@date '+== commits since main: each builds (%T)'
	@COMMITS='$(COMMITS)' .ci/commits

hooks:
	@mkdir -p "$$(git rev-parse --git-path hooks)"
	@ln -sf "$$(pwd)/.ci/pre-commit" "$$(git rev-parse --git-path hooks)/pre-commit"

# Within a release build (see .ci/lint), so that no dependency is compiled for clippy alone. `make build` follows in `make check`.
clippy:
	@date '+== clippy, as part of a build: the first time, dependencies are compiled (%T)'
	@RUSTC_WORKSPACE_WRAPPER='$(CURDIR)/.ci/lint' $(CARGO) build --release --locked --workspace --all-targets --keep-going

# Most examples are benches, which clippy compiles; only those that tests start are linked.
cargo-test: build
	@date '+== cargo test (%T)'
	@$(CARGO) build --release --locked --workspace --bins --example echo_kernel --example sample_bundles
	@$(CARGO) test --release --locked --workspace --lib --bins --tests
	@$(CARGO) test --release --locked --workspace --doc

doc:
	@date '+== documentation (%T)'
	@RUSTDOCFLAGS='-D warnings' $(CARGO) doc --release --locked --workspace --no-deps --quiet

ruff: venv
	@date '+== format and lints of Python (ruff) (%T)'
	@'$(BIN)/python' -m ruff format --check --quiet && '$(BIN)/python' -m ruff check --quiet

# TypeScript checks the extension, whose types are JSDoc comments. Playwright's wheel brings Node, JupyterLab's brings yarn (jlpm).
TYPESCRIPT_VERSION := 5.9.3
TYPESCRIPT := $(TARGET)/typescript-$(TYPESCRIPT_VERSION)
TSC := $(TYPESCRIPT)/node_modules/typescript/bin/tsc
NODE = "$$('$(BIN)/python' -c 'import pathlib, playwright; print(pathlib.Path(playwright.__file__).parent / "driver")')"

check-js: venv
	@$(MAKE) --silent --no-print-directory typescript || echo '== types of the extension: SKIPPED: cannot fetch TypeScript from the npm registry'
	@[ ! -f '$(TSC)' ] || { date '+== types of the extension (%T)'; $(NODE)/node '$(TSC)' --project labextension; }

typescript: $(TSC)

$(TSC): | venv
	@echo '== fetching TypeScript $(TYPESCRIPT_VERSION), once'
	@rm -rf '$(TYPESCRIPT)'; mkdir -p '$(TYPESCRIPT)'; touch '$(TYPESCRIPT)/yarn.lock'
	@echo '{ "private": true }' >'$(TYPESCRIPT)/package.json'; echo 'nodeLinker: node-modules' >'$(TYPESCRIPT)/.yarnrc.yml'
	@node=$(NODE); jlpm="$$(realpath '$(BIN)/jlpm')"; cd '$(TYPESCRIPT)' && \
	  PATH="$$node:$$PATH" "$$jlpm" add --exact 'typescript@$(TYPESCRIPT_VERSION)' >fetched.log 2>&1 || { tail -3 fetched.log; exit 1; }

# The server of S3 that tests/storage asks, in an environment of its own: it takes 18 s and 140 MB.
S3_SERVER := $(TARGET)/s3-server-5.2.5

s3-server: $(S3_SERVER)/.requirements

$(S3_SERVER)/.requirements: tests/storage/requirements.txt
	@echo '== fetching an S3 server for tests, once'
	@python3 -m venv '$(S3_SERVER)'
	@'$(S3_SERVER)/bin/python' -m pip install --quiet --disable-pip-version-check -r tests/storage/requirements.txt
	@cp tests/storage/requirements.txt $@

# Processes that run tests concurrently, one more than cores: tests wait for compilers and browsers. 0 runs them one after the other.
PYTEST_WORKERS ?= $(shell echo $$(($$(nproc) + 1)))

pytest:
	@date '+== kernel, notebooks, browser (pytest) (%T)'
	@$(MAKE) --silent --no-print-directory s3-server || echo '== S3 server for tests: cannot be fetched; its tests are skipped'
	@TRACEBOOK_BIN="$$(realpath '$(TRACEBOOK)')" JUPYTER_PREFER_ENV_PATH=1 '$(BIN)/python' -m pytest tests -ra \
	  --numprocesses '$(PYTEST_WORKERS)' --durations=40

# The whole workspace at once, so that no dependency is compiled twice with different features.
build:
	@if [ ! -x '$(TRACEBOOK)' ]; then \
	  echo '== building: the first time polars and evcxr are compiled, about 15 minutes on 2 cores; later seconds'; \
	else date '+== building (%T)'; fi
	@$(CARGO) build --release --locked --workspace

# An active environment that has all requirements is not changed.
venv: $(if $(VIRTUAL_ENV),venv-active,$(VENV)/.tracebook-requirements)

venv-active:
	@'$(BIN)/python' -c 'import jupyterlab, notebook, nbconvert, nbclient, papermill, pytest, xdist, jupyter_kernel_test, playwright, maturin, ruff, duckdb, polars, \
	  jactionlint, rattler_build; \
	  assert int(jupyterlab.__version__.split(".")[0]) >= 4' 2>/dev/null || { \
	  echo '== installing JupyterLab into the active environment, $(VENV)'; \
	  '$(BIN)/python' -m pip install --quiet --disable-pip-version-check -r tests/requirements.txt; }

$(VENV)/.tracebook-requirements: tests/requirements.txt
	@[ -x '$(BIN)/python' ] || { echo '== creating $(VENV)'; $(PYTHON) -m venv '$(VENV)'; }
	@echo '== installing JupyterLab into $(VENV) (about a minute)'
	@'$(BIN)/python' -m pip install --quiet --disable-pip-version-check -r tests/requirements.txt
	@cp tests/requirements.txt $@

# Ray, for the tests of clusters; without it they are skipped.
RAY := $(TARGET)/ray-venv

ray:
	@$(MAKE) --silent --no-print-directory ray-venv || echo '== tests of clusters: SKIPPED: cannot install Ray from PyPI'

ray-venv: $(RAY)/.requirements

$(RAY)/.requirements: tests/kernel/ray-requirements.txt
	@echo '== installing Ray into $(RAY), once (about a minute)'
	@[ -x '$(RAY)/bin/python' ] || $(PYTHON) -m venv '$(RAY)'
	@'$(RAY)/bin/python' -m pip install --quiet --disable-pip-version-check -r tests/kernel/ray-requirements.txt
	@cp tests/kernel/ray-requirements.txt $@

kernel: build venv
	@echo '== installing the kernel into $(VENV)'
	@VIRTUAL_ENV="$$(realpath '$(VENV)')" CARGO_TARGET_DIR='$(TARGET)' '$(TRACEBOOK)' install --sys-prefix

install: machine build
	@CARGO_TARGET_DIR='$(TARGET)' '$(TRACEBOOK)' install $(INSTALL)

# Packs the built binary and the files that it would install; cargo compiles nothing again.
wheel: machine build venv
	@date '+== writing the wheel (%T)'
	@rm -f dist/*.whl
	@'$(BIN)/python' packaging/backend.py dist
	@ls dist/*.whl

# The documentation site, with mdBook from the path or built once.
MDBOOK ?= $(or $(shell command -v mdbook),$(TARGET)/mdbook/bin/mdbook)
SITE := $(abspath $(TARGET))/site

site: $(MDBOOK)
	@'$(MDBOOK)' build --dest-dir '$(SITE)' .
	@echo 'the site: $(SITE)/index.html'

$(TARGET)/mdbook/bin/mdbook:
	@echo '== building mdBook: some minutes, once'
	@$(CARGO) install --quiet --locked --no-default-features --features search --root '$(TARGET)/mdbook' --target-dir '$(TARGET)/mdbook' mdbook@0.5.4

# The reference of magics, from their own help, in the guide.
reference: build
	@'$(TRACEBOOK)' reference >docs/guide/magics.md

# It measures, too: run nothing else meanwhile. CONFORMANCE=checks omits the figures.
CONFORMANCE ?= figures

conformance: machine venv kernel
	@TRACEBOOK_BIN="$$(realpath '$(TRACEBOOK)')" JUPYTER_PREFER_ENV_PATH=1 '$(BIN)/python' -m pytest tests/kernel -q --conformance '$(CONFORMANCE)'

# Cells, magics, errors, interrupts, large outputs and loads in turn; the bounds are in tests/kernel/soak.py.
SOAK_SECONDS ?= 600

soak: machine venv kernel
	@TRACEBOOK_BIN="$$(realpath '$(TRACEBOOK)')" JUPYTER_PREFER_ENV_PATH=1 '$(BIN)/python' tests/kernel/soak.py $(SOAK_SECONDS)

# The completion index, from the sources of polars and the standard library: run it after an update of polars or Rust.
completion-index:
	@[ -d "$$(rustc --print sysroot)/lib/rustlib/src/rust/library" ] || { \
	  echo 'Missing: the sources of the standard library. Install with:'; echo '    rustup component add rust-src'; exit 1; }
	@TRACEBOOK_WRITE_COMPLETION_INDEX=1 $(CARGO) test --release --locked -p tracebook --lib -- introspect::index::sources
	@$(CARGO) test --release --locked -p tracebook --lib -- introspect::

uninstall: build
	@'$(TRACEBOOK)' uninstall $(INSTALL)

# The committed notebooks, executed in place.
notebooks: machine venv kernel
	@'$(BIN)/python' tests/execute.py $(DEMO).ipynb
	@'$(BIN)/python' tests/execute.py notebooks/trace_analysis_demo.ipynb
	@'$(BIN)/python' tests/execute.py notebooks/your_first_diff.ipynb
	@'$(BIN)/python' tests/execute.py notebooks/explain_demo.ipynb
	@'$(BIN)/python' tests/execute.py notebooks/critical_path.ipynb
	@'$(BIN)/python' tests/execute.py notebooks/timeline.ipynb
	@'$(BIN)/python' tests/execute.py notebooks/explore.ipynb

# The README's screenshots.
.PHONY: screenshots
screenshots: machine machine-test venv kernel
	@'$(BIN)/python' tests/browser/pictures.py docs/images

demo-data:
	@$(CARGO) run --release --locked -p trace-testkit --bin demo_data -- notebooks/data

# Reports missing packages before anything is built.
machine:
	@case "$$(uname -s) $$(uname -m)" in \
	  'Linux x86_64') ;; \
	  'Linux aarch64'|Darwin*) echo "Note: $$(uname -s) on $$(uname -m) is not tested and may work; tested is Linux on x86-64." ;; \
	  *) echo "$$(uname -s) on $$(uname -m) is not supported; tested is Linux on x86-64 (on Windows: in WSL)."; exit 1 ;; \
	esac
	@packages=''; \
	{ command -v g++ && command -v cc; } >/dev/null 2>&1 || packages="$$packages g++"; \
	{ [ -x '$(BIN)/python' ] || $(PYTHON) -c 'import venv, ensurepip'; } >/dev/null 2>&1 || packages="$$packages python3-venv"; \
	if [ -n "$$packages" ]; then \
	  sudo=''; [ "$$(id -u)" = 0 ] || sudo='sudo '; \
	  echo "Missing:$$packages. Install with:"; \
	  echo "    $${sudo}apt-get update && $${sudo}apt-get install -y$$packages"; \
	  exit 1; \
	fi
	@command -v $(CARGO) >/dev/null 2>&1 || { echo 'Missing: cargo. Install Rust 1.95 or newer with rustup, see https://rustup.rs'; exit 1; }

machine-test:
	@$(CARGO) fmt --version >/dev/null 2>&1 && $(CARGO) clippy --version >/dev/null 2>&1 || { \
	  echo 'Missing: rustfmt or clippy. Install with:'; echo '    rustup component add rustfmt clippy'; exit 1; }
	@command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1 || { \
	  sudo=''; [ "$$(id -u)" = 0 ] || sudo='sudo '; \
	  echo 'Missing: chromium. Install with:'; echo "    $${sudo}apt-get update && $${sudo}apt-get install -y chromium"; exit 1; }

# Loading compared with HTA, polars, DuckDB and orjson, in an environment of their own. Data and checked digests are kept in the
# target folder.
BENCH := $(TARGET)/bench
BENCH_SIZES ?= 35M,250M,1G,4G
BENCH_FLAGS ?=

bench: machine $(BENCH)/venv/.requirements
	@$(CARGO) build --release --locked -p trace --example load -p trace-testkit --bin large_trace
	@$(PYTHON) benches/loading --load '$(TARGET)/release/examples/load' --generator '$(TARGET)/release/large_trace' \
	  --folder '$(BENCH)/data' --python '$(BENCH)/venv/bin/python' --sizes '$(BENCH_SIZES)' $(if $(BENCH_WRITE),--write docs/benchmarks.md) $(BENCH_FLAGS)
	@$(MAKE) --no-print-directory bench-sql

# Statements of SQL on a generated trace of 10 million events, with the times that are allowed. The trace is deleted.
SQL_BYTES ?= 4300M

bench-sql:
	@$(CARGO) build --release --locked --quiet -p trace --example sql -p trace-testkit --bin large_trace
	@mkdir -p '$(BENCH)/sql' && '$(TARGET)/release/large_trace' '$(BENCH)/sql/rank-0.json' --bytes $(SQL_BYTES) --seed 1
	@'$(TARGET)/release/examples/sql' '$(BENCH)/sql'; code=$$?; rm -r '$(BENCH)/sql'; exit $$code

$(BENCH)/venv/.requirements: benches/requirements.txt
	@echo '== installing the other readers into $(BENCH)/venv'
	@[ -x '$(BENCH)/venv/bin/python' ] || $(PYTHON) -m venv '$(BENCH)/venv'
	@'$(BENCH)/venv/bin/python' -m pip install --quiet --disable-pip-version-check -r benches/requirements.txt
	@cp benches/requirements.txt $@

# Jobs of 64 ranks within a memory budget, against none and against HTA: equal answers, memory, time. The data is deleted.
MEMORY_SIZES ?= 100M,1G,8G
MEMORY_FLAGS ?=

bench-memory: machine $(BENCH)/venv/.requirements
	@$(CARGO) build --release --locked -p trace --example answers -p trace-testkit --bin large_trace
	@$(PYTHON) benches/memory --answers '$(TARGET)/release/examples/answers' --generator '$(TARGET)/release/large_trace' \
	  --folder '$(BENCH)/memory' --python '$(BENCH)/venv/bin/python' --sizes '$(MEMORY_SIZES)' $(if $(MEMORY_WRITE),--write docs/benchmarks.md) $(MEMORY_FLAGS)

# Jobs of many ranks by engines, against one process on as many cores: equal answers, time, memory. Ray is left out without `make ray-venv`.
SCALE_RANKS ?= 512,4096,512:25000000
SCALE_FLAGS ?=

bench-scale: build
	@$(PYTHON) benches/scale --tracebook '$(TRACEBOOK)' --generator '$(TARGET)/release/large_trace' --folder '$(BENCH)/scale' \
	  --ranks '$(SCALE_RANKS)' --ray '$(RAY)' $(if $(SCALE_WRITE),--write docs/benchmarks.md) $(SCALE_FLAGS)

# Explanations of generated recordings: seconds and memory by events a side, runs alike and with half of the layers gone. Then of
# recorded pairs, with their columns.
EXPLAIN_EVENTS ?= 10000 100000 1000000 10000000
EXPLAIN_PAIRS ?= $(foreach pair,tracelens_h100_mi300/bert_small tracelens_h100_mi300/qwen1.5_0.5b trace_diff recorded_cpu \
  recorded_iterations,$(if $(TRACEBOOK_SHARED),$(TRACEBOOK_SHARED)/traces/$(pair)))

bench-explain:
	@$(CARGO) build --release --locked --quiet -p call-tree --example growth
	@$(CARGO) build --release --locked --quiet -p trace --example explain
	@echo '| recordings | events of both | nodes | regions | seconds | per event | memory | per event |'
	@for events in $(EXPLAIN_EVENTS); do for kind in 'alike stacks steps' 'half stacks steps' 'alike stacks one' 'half stacks one' \
	  'alike flat one' 'unlike flat one'; do '$(TARGET)/release/examples/growth' $$events $$kind || exit 1; done; done
	@echo '| pair | events of both | regions | columns | per event | seconds | memory | per event | columns and memory to columns | CPU of the page | of what bounds | share |'
	@for pair in notebooks/data $(EXPLAIN_PAIRS); do control=$$(ls -d $$pair/control*|head -1); test=$$(ls -d $$pair/test*|head -1); \
	  '$(TARGET)/release/examples/explain' $$control $$test || exit 1; done

# How often comparisons of simulated recordings keep their promises; BENCH_WRITE=1 writes the page up to its second heading.
SIMULATIONS ?= 1000

# Causal graphs of generated recordings: building, a replay, a path; memory with the events (40 bytes each), at its peak and after.
CRITICAL_PATH_EVENTS ?= 10000 100000 1000000 10000000
# Call graphs, and HTA's critical path of the whole recording, of a trace repeated in sequence.
CALL_GRAPH_TRACE ?= notebooks/data/control/rank-3.json.gz
CALL_GRAPH_TIMES ?= 1,10,100

bench-critical-path:
	@$(CARGO) build --release --locked --quiet -p causal --example replay
	@echo '| threads | events | points | causes | build | per event | replay | path | segments | peak | graph |'
	@for events in $(CRITICAL_PATH_EVENTS); do for kind in alone threads; do '$(TARGET)/release/examples/replay' $$events $$kind || exit 1; done; done
	@$(CARGO) build --release --locked --quiet -p trace --example ask
	@for name in call_graph 'critical_path as HTA'; do '$(TARGET)/release/examples/ask' $(CALL_GRAPH_TRACE) $(CALL_GRAPH_TIMES) "$$name" || exit 1; done

bench-statistics:
	@$(CARGO) build --release --locked --quiet -p statistics --example simulation
ifdef BENCH_WRITE
	@'$(TARGET)/release/examples/simulation' $(SIMULATIONS) >'$(TARGET)/statistics.md'
	@sed -n '/^## /,$$p' docs/statistics.md | sed '1{x;G}' >>'$(TARGET)/statistics.md'
	@mv '$(TARGET)/statistics.md' docs/statistics.md
else
	@'$(TARGET)/release/examples/simulation' $(SIMULATIONS)
endif

# How often a change is called between runs of one program: recorded runs, divided in all ways, or in SPLITS random ones.
SPLITS ?= 200
SPLIT_RUNS ?= $(if $(TRACEBOOK_SHARED),$(foreach program,control test,'$(TRACEBOOK_SHARED)/traces/recorded_runs/$(program)-*'))

bench-splits:
	@$(CARGO) build --release --locked --quiet -p trace --example splits
	@'$(TARGET)/release/examples/splits' --most $(SPLITS) $(SPLIT_RUNS)

# Loads of recorded traces by another revision and by this one, in turn.
REVISION ?= HEAD~1
REVISION_FLAGS ?=

bench-revision:
	@$(CARGO) build --release --locked --quiet -p trace --example load
	@$(PYTHON) benches/revision.py '$(TARGET)/release/examples/load' --revision '$(REVISION)' --folder '$(BENCH)/revision' \
	  $(REVISION_FLAGS) $(if $(TRACEBOOK_SHARED),'$(TRACEBOOK_SHARED)/traces') notebooks/data

# Latency of the kernel and of stock evcxr, which is built once; EVCXR= leaves it out.
STOCK := $(TARGET)/stock
EVCXR ?= $(STOCK)/bin/evcxr_jupyter

bench-cells: machine venv kernel $(EVCXR)
	@'$(BIN)/python' benches/cells.py $(if $(EVCXR),--evcxr '$(EVCXR)')

# The recorded replay is repeated until it has 100,000 events.
CAPTURE := $(if $(TRACEBOOK_SHARED),$(TRACEBOOK_SHARED)/traces/capture/sglang_decode)
COMPANION_RUNS ?= 5

bench-companions: machine venv kernel
	@'$(BIN)/python' benches/companions.py '$(CAPTURE).replay.json.gz' '$(CAPTURE).capture.json.gz' --runs $(COMPANION_RUNS) $(if $(MAGICS),--magics '$(MAGICS)')

$(STOCK)/bin/evcxr_jupyter:
	@echo '== building evcxr_jupyter to compare with: about 10 minutes on 2 cores, once'
	@$(CARGO) install --quiet --locked --root '$(STOCK)' --target-dir '$(STOCK)/target' evcxr_jupyter@0.22.0

# Events of the timeline in JupyterLab.
BROWSER_EVENTS ?= 1000000

bench-browser: machine venv kernel
	@JUPYTER_PREFER_ENV_PATH=1 '$(BIN)/python' benches/browser.py --events '$(BROWSER_EVENTS)'

# Seconds per fuzz target. Without sanitizers, cargo-fuzz needs no nightly compiler.
FUZZ_SECONDS ?= 60
CARGO_FUZZ := $(TARGET)/fuzz-tools/bin/cargo-fuzz

fuzz: $(CARGO_FUZZ)
	@fuzz="$$(realpath '$(CARGO_FUZZ)')"; target="$$(realpath '$(TARGET)')/fuzz"; cd fuzz && \
	for name in $$("$$fuzz" list); do \
	  echo "== fuzzing $$name for $(FUZZ_SECONDS) s"; \
	  mkdir -p "$$target/corpus/$$name"; \
	  dict=''; [ ! -f "$$name.dict" ] || dict="-dict=$$name.dict"; \
	  "$$fuzz" run --sanitizer none --target-dir "$$target" "$$name" "$$target/corpus/$$name" "corpus/$$name" -- \
	    -max_total_time=$(FUZZ_SECONDS) -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 $$dict || exit 1; \
	done

$(CARGO_FUZZ):
	@echo '== installing cargo-fuzz into $(TARGET)/fuzz-tools'
	@$(CARGO) install --quiet --locked --root '$(TARGET)/fuzz-tools' --target-dir '$(TARGET)/fuzz-tools/target' cargo-fuzz@0.13.2

# The rules are in deny.toml. Advisories are fetched from GitHub, so they are checked on request only: ADVISORIES=advisories.
ADVISORIES ?=
CARGO_DENY := $(or $(shell command -v cargo-deny),$(TARGET)/deny-tools/bin/cargo-deny)

deny: $(CARGO_DENY)
	@'$(CARGO_DENY)' --locked check --hide-inclusion-graph bans licenses sources $(ADVISORIES)

$(TARGET)/deny-tools/bin/cargo-deny:
	@echo '== building cargo-deny: some minutes, once'
	@$(CARGO) install --quiet --locked --root '$(TARGET)/deny-tools' --target-dir '$(TARGET)/deny-tools/target' cargo-deny@0.20.2

clean:
	@$(CARGO) clean
	@rm -rf .venv $(EXECUTED)
