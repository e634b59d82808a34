# Thin front of CMake. `make demo` and `make test` do everything on a fresh Debian 12 (as root, to install packages).
BUILD ?= build
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)

.PHONY: all setup setup-test setup-slow configure configure-tests demo test test-slow tests bench install uninstall wheel \
  deb dist clean
.NOTPARALLEL: # CMake has the jobs

# What is installed, and the examples. No tests.
all: configure
	@cmake --build $(BUILD) -j $(JOBS) --target product examples

# The Debian packages for the build, for the tests, for the long tests.
setup:
	@scripts/setup.sh
setup-test:
	@scripts/setup.sh build test
setup-slow:
	@scripts/setup.sh build test slow

configure: setup
	@test -f $(BUILD)/build.ninja || cmake --preset release -B $(BUILD) -DKILN_TESTS=OFF > /dev/null

# A folder that was made without tests gets them; what it has compiled stays.
configure-tests:
	@grep -qs '^KILN_TESTS:BOOL=ON' $(BUILD)/CMakeCache.txt && test -f $(BUILD)/build.ninja || \
	  cmake --preset release -B $(BUILD) -DKILN_TESTS=ON > /dev/null

# Real kernels on the CPU: results checked, cold, warm and run times shown.
demo: configure
	@cmake --build $(BUILD) -j $(JOBS) --target demo_programs
	@scripts/demo.sh $(BUILD)

tests: setup-test configure-tests
	@cmake --build $(BUILD) -j $(JOBS)

# Every quick test. `ctest --test-dir build -R exec` runs some.
test: tests
	@ctest --test-dir $(BUILD) --output-on-failure -LE slow -j $(JOBS)

# The long soaks.
test-slow: setup-slow tests
	@ctest --test-dir $(BUILD) --output-on-failure -L slow

bench: setup-test configure-tests
	@cmake --build $(BUILD) -j $(JOBS) --target product benchmarks
	@$(BUILD)/kiln-bench --chart $(BUILD)/bench.svg
	@echo "hits of the cache:"; $(BUILD)/bench/cache-kiln
	@test ! -x $(BUILD)/bench/cache-opencl || $(BUILD)/bench/cache-opencl

install: configure
	@cmake --build $(BUILD) -j $(JOBS) --target product
	@cmake --install $(BUILD) --prefix "$(PREFIX)"
	@scripts/installed.sh "$(BUILD)" "$(PREFIX)"

# Removes what `make install` with the same PREFIX has left there, also from another folder.
uninstall:
	@scripts/uninstall.sh "$(PREFIX)"

# dist/kiln-*.whl: the Python package with the compiler, for machines that have neither Kiln nor LLVM.
wheel: configure
	@/usr/bin/python3 scripts/wheel.py --build $(BUILD)

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
