# fwlab: `make lab` opens JupyterLab on the notebooks, `make test` checks the library. `make` alone lists the rest.
GO     ?= go
PYTHON ?= python3
PORT   ?= 8888
# More for JupyterLab, as LAB_ARGS=--no-browser.
LAB_ARGS ?=
# make notebooks WRITE=1 keeps the outputs, so it runs in full; otherwise the runs are short.
WRITE ?=
FWLAB_BUDGET ?= $(if $(WRITE),full,short)
# Which ones.
PAGES ?= notebooks/*.ipynb
# Seconds that one notebook may take.
LIMIT ?= $(if $(WRITE),14400,600)

VENV := .venv/bin/python
# The pinned kernel comes before any other of that name.
export JUPYTER_PATH := $(CURDIR)/.venv/share/jupyter
export FWLAB_BUDGET GO PYTHON

.PHONY: help release-test setup lab notebooks note celltime campaign muon browser site slides site-check kernel kernel-files live-check lite image course grade formgrader course-test course-setup verify soak bench bench-short bench-setup quick test pins report fmt vet lint unit race cross fused emulate beam flink flink-test clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile

setup: ## JupyterLab and the Go kernel in .venv, the build cache warm
	@./docker/setup.sh

SERVE = "$(CURDIR)/$(VENV)" -c 'import socket; raise SystemExit(socket.socket().connect_ex(("127.0.0.1", $(PORT))) == 0)' || \
 { echo "fwlab: port $(PORT) is taken: make $@ PORT=$$(($(PORT)+1))" >&2; exit 1; }; \
 JUPYTER_CONFIG_DIR="$(CURDIR)/.venv/etc/jupyter" "$(CURDIR)/$(VENV)" -m jupyterlab \
 --ServerApp.ip=127.0.0.1 --ServerApp.port=$(PORT) --ServerApp.port_retries=0 --ServerApp.root_dir=. --allow-root \
 --LabApp.extension_manager=readonly \
 --LabApp.news_url=None --LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate --LabApp.default_url=$(1) $(LAB_ARGS)

lab: setup ## JupyterLab on the notebooks, on this machine only, with a token
	@$(call SERVE,/lab/tree/notebooks)

notebooks: setup ## run every notebook; WRITE=1 runs in full and keeps the outputs
	@$(VENV) docker/run_notebooks.py --limit $(LIMIT) $(if $(WRITE),--write) $(PAGES)

# Its cells, each kept as soon as it is run; take the folder away to run all anew.
CELLS ?= notebooks/runs/campaign

campaign: ## the races of the page untuned-data that are not among CELLS yet, and their archive: 90 minutes on two processors that do nothing else
	$(GO) run ./fwopt/fwrace/campaign $(CELLS) notebooks/races/campaign.csv

muon: ## the race of the page muon: the runs that are not among CELLS yet, and their archive: half an hour on two processors
	$(GO) run ./fwopt/fwrace/campaign -nets $(CELLS) notebooks/races/muon.csv

celltime: setup ## what a warm edited cell costs
	@$(VENV) docker/celltime.py

browser: setup docker/browser/node_modules ## what a reader sees, in headless Chromium: needs node, npm and chromium
	@PAGES="$(PAGES)" node docker/browser/test.mjs

docker/browser/node_modules: docker/browser/package-lock.json
	@command -v npm >/dev/null || { echo "fwlab: npm is missing: install Node.js 18 or newer (https://nodejs.org/)" >&2; exit 1; }
	cd docker/browser && npm ci --no-audit --no-fund --silent
	@touch $@

site: setup notebooks/site/node_modules kernel-files ## the pages as a web site in _site, with the solver and a Go kernel in the browser: needs npm
	@rm -rf _site && mkdir _site && cp -r _kernel _site/kernel && GOOS=js GOARCH=wasm $(GO) build -trimpath -ldflags="-s -w" -o _site/live.wasm ./notebooks/site/live && gzip -9n _site/live.wasm && \
	 cp "$$($(GO) env GOROOT)/lib/wasm/wasm_exec.js" _site/ && $(GO) run ./notebooks/site/api >_site/api.json && $(VENV) -B notebooks/site/build.py _site

# One, as PAGE=lesson-3-batches.
PAGE ?= $(basename $(notdir $(wildcard notebooks/lesson-*.ipynb)))

slides: setup notebooks/site/node_modules ## the figures of PAGE, or else of each lesson, as a file of slides in _slides: needs npm
	@$(VENV) -B notebooks/site/slides.py _slides $(PAGE)

site-check: site docker/browser/node_modules ## that site in headless Chromium, wide and as on a telephone
	@$(VENV) -B notebooks/site/build_test.py && PAGES="$(PAGES)" node docker/browser/site.mjs

kernel: kernel-files ## a Go kernel that runs in a browser, in _kernel, and its cells against GoNB's
	@KERNEL_GONB=1 $(GO) test ./notebooks/kernel/cells

kernel-files:
	@rm -rf _kernel && $(GO) run ./notebooks/kernel/pack _kernel && \
	 cp notebooks/kernel/*.js notebooks/kernel/index.html notebooks/kernel/LICENSE notebooks/kernel/lite/*.js* _kernel/

release-test: ## go get of the last commit as a module proxy would hand it out, and the README's program
	@docker/release-test.sh

live-check: kernel lite docker/browser/node_modules ## that kernel and JupyterLite in headless Chromium and Firefox, beside the same programs run here
	@WHOLE="$(WHOLE)" node notebooks/kernel/check.mjs _kernel _lite

lite: kernel-files course-setup ## a JupyterLab without a server in _lite: the pages, the problem sets, and Go in the browser
	@$(call PIP,lite,JupyterLite)
	@rm -rf _lite && $(COURSE) release && $(VENV) -B notebooks/kernel/lite/build.py _kernel _lite

# KaTeX, for the formulas, and Vega, for the sliders.
notebooks/site/node_modules: notebooks/site/package-lock.json
	@command -v npm >/dev/null || { echo "fwlab: npm is missing: install Node.js 18 or newer (https://nodejs.org/)" >&2; exit 1; }
	cd notebooks/site && npm ci --no-audit --no-fund --silent
	@touch $@

image: ## build the container image and try it out, without a registry: needs root on Debian
	@docker/image-test.sh

# What only some targets need, once: PIP,PART,NAME.
PIP = cmp -s docker/requirements-$(1).txt .venv/.$(1) || { echo "fwlab: $(2), pinned by docker/requirements-$(1).txt" && \
	 { $(VENV) -m pip install --quiet --disable-pip-version-check --require-hashes --requirement docker/requirements-$(1).txt || \
	 { echo "fwlab: pip failed: look at its message above; without a network, run make $@ once with one" >&2; exit 1; }; } && \
	 cp docker/requirements-$(1).txt .venv/.$(1); }

course: course-setup ## the problem sets for students (release/) and for teachers (key/), in notebooks/assignments; SECRET=word chooses other variants
	@$(COURSE) release key

grade: course-setup ## grade notebooks/assignments/submitted/STUDENT/SET/SET.ipynb: grades.csv, class.csv, feedback/
	@$(COURSE) grade

formgrader: course-setup ## nbgrader's pages to grade by hand, on this machine only, with a token
	@cd notebooks/assignments && export PATH="$(CURDIR)/.venv/bin:$$PATH" && $(call SERVE,/formgrader)

course-test: course-setup ## the problem sets, and the grade of every submission in notebooks/assignments/testdata (minutes; DRAWS=20: by other random numbers, too)
	@$(VENV) -B notebooks/assignments/course_test.py

COURSE = $(if $(findstring command,$(origin SECRET)),FWLAB_SECRET="$$SECRET") $(VENV) -B notebooks/assignments/course.py

course-setup: setup ## nbgrader in .venv
	@$(VENV) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	 { echo "fwlab: nbgrader needs Python 3.10 or newer: make clean, then make course PYTHON=/path/to/python3" >&2; exit 1; }
	@$(call PIP,course,nbgrader)

note: setup ## notebooks/note/note.pdf, from note.typ and the outputs of the pages
	@$(call PIP,note,Typst)
	@$(VENV) -c 'import typst; typst.compile("notebooks/note/note.typ", output="notebooks/note/note.pdf", root="notebooks", ignore_system_fonts=True)'

verify: ## every inequality of the paper against runs, in one table, and 10,000 partial projections against whole ones (a minute)
	$(GO) run ./fwopt/fwverify
	$(GO) test ./fwopt/fwset -count=1 -run '^TestTraceNormFew$$' -few 10000

# The share of 1,000 kills and 2,000 damages.
SOAK ?= 1

soak: ## kill runs at any instant and damage their files: none may come back wrong (SOAK=0.1 for a tenth)
	$(GO) test ./fwopt/fwkeep -count=1 -run '^TestSoak$$' -v -timeout 30m -soak $(SOAK)

# Items by the beginnings of their names, as ONLY=P5a,P6: then their lines alone are written, if the rest is of this machine.
ONLY ?=
BENCH = $(GO) run ./bench -netlib "$$(cat bench/.venv/.netlib)"

bench: bench-setup ## race numpy, scipy, numba, copt and AequilibraE, in turn, on this machine; the tables of the page benchmarks (an hour)
	$(BENCH) -only "$(ONLY)"

bench-short: bench-setup ## the same answers as numpy, scipy, numba, copt and AequilibraE give, on small cases; seconds mean nothing
	$(BENCH) -short -only "$(ONLY)"

bench-setup: ## the peers, pinned, in bench/.venv; gonum on OpenBLAS, if that is here
	@./bench/setup.sh

beam: ## bin/fwbeam, which runs over shards on Apache Beam, and its tests in short (minutes to compile the first time)
	cd fwopt/fwbeam && $(GO) build -o ../../bin/fwbeam . && $(GO) vet ./... && $(GO) test -short ./...

# By FLAGS="--port 9000", and as many kills as KILLS in flink-test.
KILLS ?= 2
flink: ## Flink on this machine alone, with a job server for bin/fwbeam, until Ctrl-C: Java 11 or newer, with its compiler, and Maven the first time
	@fwopt/fwbeam/flink/flink.sh $(FLAGS)

flink-test: ## runs on that Flink have Prism's bits, and keep them when its processes are killed: at most 3 minutes; KILLS=30 kills the JobManager and the driver, too
	@fwopt/fwbeam/flink/flink.sh $(FLAGS) $(GO) -C fwopt/fwbeam test -count=1 -v -run '^TestFlink' -timeout 60m . -kills $(KILLS) || \
	 { rc=$$?; [ $$rc = 69 ] && echo "make flink-test is left out"; }

quick: fmt ## between two edits: gofmt, go vet's checks, and the tests in short but those of seconds; 10 to 30 seconds
	$(GO) test -short -vet=all -skip '^Test($(SLOW))$$' ./...

# Tests of a second and more in short, of what an edit seldom breaks: make test has them.
SLOW = AllLimit|Archive|Contracts|GuardPages|HandIn|InterruptInside|KeepNeverGivesAnother|LineWithoutEnd|Page|PartsPass|Rate|RateWithoutBound|MethodFindsFaults|MethodPassesSoundMethods|DomainFindsFaults|Parts|Race|RunInterrupted|SheetFiles|Silence|Stop|SumsAgainstNaive|TraceNormFew|TraceNormFewWarm|Twin|Twins|TwinsLong|TwinsPreempted

test: pins lint unit race cross ## everything that needs no notebook (3 minutes; up to 8 after a deep edit, to compile)

pins: ## the kernel's version of gonb is the library's
	@lib=$$($(GO) list -m github.com/janpfeifer/gonb) kernel=$$(cd docker && GOWORK=off $(GO) list -m github.com/janpfeifer/gonb) && \
	 { [ "$$lib" = "$$kernel" ] || { echo "go.mod has $$lib, docker/go.mod has $$kernel: make them equal" >&2; exit 1; }; }

report: ## what pages and files have more of than is good to read; it warns
	@$(PYTHON) docker/report.py

fmt: ## gofmt finds nothing to change, and no line of code is wider than 110 columns
	@$(PYTHON) -B docker/report.py columns
	@bad=$$("$$($(GO) env GOROOT)/bin/gofmt" -l fwopt datasets notebooks bench) && { [ -z "$$bad" ] || { echo "gofmt -w these:" $$bad >&2; exit 1; }; }

vet: ## go vet
	$(GO) vet ./...

lint: fmt vet ## gofmt, go vet, staticcheck
	@case $$($(GO) env GOVERSION) in \
	 go1.26*|go1.27*) set -x; $(GO) tool -modfile=docker/lint/go.mod staticcheck ./... ;; \
	 *) echo "staticcheck is left out: the pinned one knows Go 1.26 and 1.27" >&2 ;; esac

# Not from the cache, which does not see what a test's go list and go build read.
unit: ## all tests of the library, in full
	$(GO) test -count=1 ./...

# The race detector sees what goroutines share, and makes arithmetic 20 times slower. So it runs every test, in short, but those of numbers,
# by name: whole runs (Golden, Reference, Figure), statistics (Law, Bounds, Coverage), naive code (Naive), data (Twin, News20), eigenvalues (Few, FewWarm). What these
# start, by kern.Do and fwrate.Seeds, has tests of its own: give a test of goroutines none of these names. Alloc: sync.Pool drops at random then.
race: ## the tests of goroutines, under the race detector: needs a C compiler
	@if [ "$$($(GO) env CGO_ENABLED)" = 1 ]; then set -x; $(GO) test -race -short -skip 'Alloc|Golden|Reference|Figure|Law|Bounds|Coverage|Naive|Twin|News20|Few(Warm)?$$' ./fwopt/... ./notebooks/...; \
	 else echo "no C compiler here: go test -race is left out" >&2; fi

cross: ## go vet as on macOS, Linux on ARM, Windows and in a browser
	GOOS=darwin GOARCH=arm64 $(GO) vet ./...
	GOOS=linux GOARCH=arm64 $(GO) vet ./...
	GOOS=windows GOARCH=amd64 $(GO) vet ./...
	GOOS=js GOARCH=wasm $(GO) vet ./notebooks/site/live ./notebooks/kernel/engine ./fwopt/...

# Where the compiler makes one rounding of x*y + z: on ARM, and by GOAMD64=v3 on most of today's amd64.
fused: ## the tests of sets, sums and methods, in short, where Go fuses products and sums, as on ARM: needs AVX2 and FMA
	GOAMD64=v3 $(GO) test -short ./fwopt/fwset ./fwopt/fwsum ./fwopt/fwmore
	GOAMD64=v3 $(GO) test -short -run 'Kernel|Golden' ./fwopt

# Under qemu a program is built here and run there. -cpu Nehalem has no AVX; max has AVX2.
emulate: ## the kernels have the same bits on ARM and on a processor without AVX2, and tests of bits pass on ARM, emulated: needs qemu-user (Debian); a minute
	@command -v qemu-aarch64 >/dev/null && command -v qemu-x86_64 >/dev/null || { echo "fwlab: qemu is missing: sudo apt install qemu-user" >&2; exit 1; }
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && \
	 for arch in arm64 amd64; do GOOS=linux GOARCH=$$arch CGO_ENABLED=0 $(GO) test -c -o "$$dir/$$arch" ./fwopt/internal/kern || exit 1; done && \
	 on() { want=$$1 prog=$$dir/$$2; shift 2; echo "$$*: $$want"; \
	  "$$@" "$$prog" -test.run '^TestBits$$' -test.v >"$$dir/log" 2>&1 && grep -q "$$want" "$$dir/log" || { cat "$$dir/log" >&2; exit 1; }; } && \
	 on "vectors = false" arm64 qemu-aarch64 && on "vectors = false" amd64 qemu-x86_64 -cpu Nehalem && on "vectors = true" amd64 qemu-x86_64 -cpu max
	GOOS=linux GOARCH=arm64 CGO_ENABLED=0 $(GO) test -exec qemu-aarch64 -short -run '$(EMULATED)' ./fwopt ./fwopt/fwset ./fwopt/fwsum ./fwopt/fwmore

# Of those packages, what compares bits or nearly bits, and is done in seconds.
EMULATED = Kernel|Golden|Vertex|EntryLoss|AgainstNaive|Gauge|ProjectionsOf

clean: ## remove .venv (the notebooks' runs stay)
	rm -rf .venv bench/.venv bench/.data docker/browser/node_modules
