# Thin front of CMake. `make demo` and `make test` do everything on a fresh Debian 12 (as root, to install packages).
BUILD ?= build
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)

.PHONY: all setup configure demo test test-slow bench install wheel deb dist clean
all: configure
	@cmake --build $(BUILD) -j $(JOBS)

setup:
	@scripts/setup.sh

configure: setup
	@test -f $(BUILD)/build.ninja || cmake --preset release -B $(BUILD) > /dev/null

# Real kernels on the CPU: results checked, cold, warm and run times shown. Builds no tests.
demo: configure
	@cmake --build $(BUILD) -j $(JOBS) --target demo_programs
	@scripts/demo.sh $(BUILD)

# Every quick test. `ctest --test-dir build -R exec` runs some.
test: all
	@ctest --test-dir $(BUILD) --output-on-failure -LE slow -j $(JOBS)

# The long soaks.
test-slow: all
	@ctest --test-dir $(BUILD) --output-on-failure -L slow

bench: all
	@$(BUILD)/kiln-bench --chart $(BUILD)/bench.svg
	@echo "hits of the cache:"; $(BUILD)/bench/cache-kiln
	@test ! -x $(BUILD)/bench/cache-opencl || $(BUILD)/bench/cache-opencl

install: configure
	@cmake --build $(BUILD) -j $(JOBS) --target product
	@cmake --install $(BUILD) --prefix $(PREFIX)
	@scripts/installed.sh $(BUILD)

# dist/kiln-*.whl: the Python package with the compiler, for machines that have neither Kiln nor LLVM.
wheel: setup
	@/usr/bin/python3 scripts/wheel.py --build $(BUILD)/wheel

# dist/*.deb: Debian packages of the library, the command, the OpenCL driver and the Python package.
deb: setup
	@scripts/deb.py --build $(BUILD)/deb

# dist/kiln-VERSION.tar.gz: the sources of the last commit.
DIST ?= dist
dist:
	@mkdir -p $(DIST)
	@name=kiln-$$(sed -n 's/^project(kiln VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt) && \
	  git archive --format=tar.gz --prefix=$$name/ -o $(DIST)/$$name.tar.gz HEAD

clean:
	@rm -rf $(BUILD)
