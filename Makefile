# What people type.  The build itself is Meson's (meson.build).

BUILD := build
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
MESON := $(BUILD)/build.ninja

FUZZERS := $(patsubst fuzz/fuzz_%.c,%,$(wildcard fuzz/fuzz_*.c))

.PHONY: build run check check-live check-vm asan fuzz golden fmt tidy cppcheck cov \
	bench soak install uninstall clean tests deps-build deps-check deps-soak \
	deps-bench deps-fuzz deps-cov deps-lint

# What is installed; tests and benchmarks are for `make check` and `make bench`.
build: $(MESON)
	@ninja -C $(BUILD) product

$(MESON): | deps-build
	@[ -f $@ ] || meson setup $(BUILD)

deps-build deps-check deps-soak deps-bench deps-fuzz deps-cov deps-lint: deps-%:
	@tools/deps.sh $*

# Meson looks for the test library when it configures: look again if it was
# not there then.
tests: deps-check $(MESON)
	@meson introspect --dependencies $(BUILD) | grep -q '"cmocka"' || \
	    meson setup --reconfigure $(BUILD)
	@ninja -C $(BUILD)

# The main job, live on this machine for a few seconds.
run: build
	@$(SUDO) tools/show.sh $(BUILD)/dtrace

# Every test.  The last line counts them.
check: tests
	@$(SUDO) tests/check.py $(BUILD)

check-live: tests
	@$(SUDO) tests/check.py $(BUILD) live

# The cases on Debian's own kernel, in an emulated machine.
check-vm: tests
	@$(SUDO) tests/check.py $(BUILD) vm

# gcc 12's leak checker crashes on the thread-local storage of libraries that
# are loaded later (libdw's): it leaves that out.
asan: deps-check
	@[ -f build-asan/build.ninja ] || meson setup build-asan \
	    -Db_sanitize=address,undefined -Db_lundef=false
	@ninja -C build-asan
	@$(SUDO) env LSAN_OPTIONS=use_tls=0:print_suppressions=0:suppressions=$(CURDIR)/tests/lsan.supp \
	    tests/check.py build-asan

# make fuzz T=lang S=60: explore with clang's libFuzzer, from the corpus, for S
# seconds, or until a crash or Control-C.
fuzz: deps-fuzz
	@[ -n "$(T)" ] || { echo "usage: make fuzz T=TARGET [S=SECONDS]; targets:" \
		$(FUZZERS); \
		exit 2; }
	@tools/fuzz.sh "$(T)" $(S)

# Rewrite the expected outputs; review the diff like code.
golden: tests
	@$(SUDO) tests/run_cases.py --golden --dtrace $(BUILD)/dtrace \
	    --progs $(BUILD)/tests/prog $(T)

fmt: deps-lint
	@git ls-files '*.c' '*.h' | xargs clang-format-14 -i

tidy: deps-lint
	@[ -f build-clang/build.ninja ] || CC=clang meson setup build-clang
	@ninja -C build-clang
	@git ls-files 'src/*.c' 'cmd/*.c' | grep -v '\.bpf\.c$$' | \
	    xargs clang-tidy-14 -p build-clang --quiet

# cppcheck 2.10 knows neither typeof nor libbpf's macros; told what they are, it
# takes the loops over vectors for mixtures of pointers and integers.  Shifting a
# negative number right is what gcc and clang define, and D says the same.
cppcheck: $(MESON) deps-lint
	@cppcheck --project=$(BUILD)/compile_commands.json --quiet \
	    --enable=warning,performance,portability --inline-suppr \
	    --error-exitcode=1 '-D__typeof__(x)=int *' \
	    '-DLIBBPF_OPTS(t,n,...)=struct t n={__VA_ARGS__}' \
	    --suppress=AssignmentIntegerToAddress \
	    --suppress=AssignmentAddressToInteger \
	    --suppress=CastIntegerToAddressAtReturn \
	    --suppress=shiftNegativeLHS:tests/unit/test_codegen.c

cov: deps-cov
	@[ -f build-cov/build.ninja ] || meson setup build-cov -Db_coverage=true
	@ninja -C build-cov
	@-$(SUDO) tests/check.py build-cov
	@ninja -C build-cov coverage-text
	@cat build-cov/meson-logs/coverage.txt

bench: deps-bench $(MESON)
	@ninja -C $(BUILD)
	@$(SUDO) python3 bench/bench.py $(BUILD)

# The Debian package once, ten minutes at full load with flat memory, whole
# programs traced within them, a thousand sessions of a process, probes enabled and disabled a thousand times under a hundred threads, every fuzz
# target for an hour, then the cases and live tests over and over, until one
# fails: make soak N=20 FUZZ_SECONDS=600 SOAK_SECONDS=60.
N ?= 10
FUZZ_SECONDS ?= 3600
SOAK_SECONDS ?= 600
soak: deps-soak deps-fuzz tests
	@$(SUDO) tests/check.py $(BUILD) package
	@$(SUDO) env SOAK_SECONDS=$(SOAK_SECONDS) tests/check.py $(BUILD) soak
	@$(SUDO) env PROGS=$(BUILD)/tests/prog PID_ROUNDS=1000 \
		python3 tests/live/test_pid.py $(BUILD)/dtrace
	@$(SUDO) python3 tests/live/test_usdt_real.py $(BUILD)/dtrace \
		--packages
	@for t in $(FUZZERS); do \
		tools/fuzz.sh $$t $(FUZZ_SECONDS) || exit 1; \
	done
	@for i in $$(seq $(N)); do \
		echo "round $$i of $(N)"; \
		$(SUDO) tests/check.py $(BUILD) cases live || exit 1; \
		$(SUDO) $(BUILD)/tests/difdiff --seed $$(date +%s) \
			--host 300000 --kernel 20000 || exit 1; \
	done

# The build knows where its D libraries will be: a new PREFIX builds that anew.
PREFIX ?= /usr/local
install: build
	@meson configure $(BUILD) -Dprefix=$(PREFIX)
	@ninja -C $(BUILD) product
	@DESTDIR=$(DESTDIR) meson install -C $(BUILD) --no-rebuild --quiet

# With the PREFIX and DESTDIR of the installation.
uninstall: $(MESON)
	@meson configure $(BUILD) -Dprefix=$(PREFIX)
	@ninja -C $(BUILD) product
	@tools/uninstall.sh $(BUILD) "$(DESTDIR)"

clean:
	rm -rf $(BUILD) build-asan build-clang build-cov build-fuzz
