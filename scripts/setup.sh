#!/bin/sh
# Installs the Debian packages that are asked for and that this machine lacks, and for tests ptxas of PyPI. Does
# nothing, and needs no network and no root, when all of them are there. docs/building.md names them for other
# distributions.
#   setup.sh [build] [test] [slow]     build alone where nothing is said
set -eu

# What make, make demo, make install, make wheel and make deb need.
build="build-essential pkg-config cmake ninja-build python3-dev patchelf
  llvm-19-dev liblld-19-dev libzstd-dev zlib1g-dev libxxhash-dev libpng-dev
  opencl-c-headers libhsa-runtime-dev libssl-dev libcurl4-openssl-dev libsodium-dev"
# What make test and make bench need as well.
test="clang libclang-rt-14-dev clang-format-14 clang-19 ocl-icd-opencl-dev pocl-opencl-icd rocm-device-libs
  libcriterion-dev libmpfr-dev locales python3-numpy python3-pytest redis-tools nginx openssl iproute2 spirv-tools
  python3-pip"
# What tests with the label slow use: other architectures, programs of others, checks of packages.
slow="qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross
  oclgrind lintian clinfo clpeak hashcat libclblast-dev libboost-dev python3-venv ffmpeg darktable"

# Without it, the tests of code for NVIDIA's GPUs that need it are skipped.
fetch_ptxas() {
  case " $* " in
  *" test "*)
    "$(dirname "$0")/ptxas.sh" "${XDG_CACHE_HOME:-$HOME/.cache}/kiln-tests/ptxas" ||
      echo "setup: PyPI gave no ptxas; tests that need it will be skipped" >&2
    ;;
  esac
}

packages=
for set in "${@:-build}"; do
  case $set in
  build) packages="$packages $build" ;;
  test) packages="$packages $test" ;;
  slow) packages="$packages $slow" ;;
  *) echo "setup: there is no set '$set': build, test, slow" >&2; exit 2 ;;
  esac
done

if ! command -v dpkg-query >/dev/null; then
  echo "setup: packages are installed on Debian alone; docs/building.md names those of other distributions" >&2
  exit 0
fi
missing=
for p in $packages; do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null || true)
  [ "$state" = installed ] || missing="$missing $p"
done
if [ -z "$missing" ]; then
  fetch_ptxas "$@"
  exit 0
fi

if [ "$(id -u)" != 0 ]; then
  echo "setup: these Debian packages are missing:$missing" >&2
  echo "setup: run 'sudo scripts/setup.sh${*:+ $*}' once to install them" >&2
  exit 3
fi
echo "setup: installing$missing"
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
# Tests start servers of their own: nginx is not to run as a service here.
policy=/usr/sbin/policy-rc.d
if [ ! -e $policy ]; then
  trap 'rm -f $policy' EXIT
  printf '#!/bin/sh\nexit 101\n' >$policy
  chmod 755 $policy
fi
# shellcheck disable=SC2086 # the list is meant to be split into words
apt-get install -q -y --no-install-recommends $missing
case " $missing " in
*" nginx "*) [ ! -d /run/systemd/system ] || systemctl disable -q nginx ;;
esac
fetch_ptxas "$@"
