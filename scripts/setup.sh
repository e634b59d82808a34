#!/bin/sh
# Installs the Debian packages that Kiln's build and tests need and this machine lacks.
# Does nothing, and needs no network and no root, when all of them are there.
#   setup.sh [--slow]     --slow: also what tests with the label slow use (AArch64 under qemu-user)
set -eu

packages="build-essential pkg-config cmake ninja-build clang libclang-rt-14-dev clang-format-14
  llvm-19-dev clang-19 liblld-19-dev libzstd-dev zlib1g-dev
  opencl-c-headers ocl-icd-opencl-dev pocl-opencl-icd
  libhsa-runtime-dev rocm-device-libs
  libssl-dev libcurl4-openssl-dev libsodium-dev
  python3-dev python3-numpy python3-pytest patchelf
  libsleef-dev libxxhash-dev libpng-dev libcriterion-dev libmpfr-dev locales redis-tools nginx openssl iproute2"
[ "${1:-}" != --slow ] || packages="$packages qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross"

# --slow: what only tests with the label slow need.
if [ "${1:-}" = --slow ]; then
  packages="$packages oclgrind lintian clinfo clpeak hashcat libclblast-dev libboost-dev python3-venv"
fi

missing=
for p in $packages; do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null || true)
  [ "$state" = installed ] || missing="$missing $p"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" != 0 ]; then
  echo "setup: these Debian packages are missing:$missing" >&2
  echo "setup: run 'sudo scripts/setup.sh' once to install them" >&2
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
