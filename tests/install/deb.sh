#!/bin/sh
# The release tarball builds where there is no git, and the Debian packages that it makes run a kernel.
#   deb.sh SOURCE
set -eu
for tool in dpkg-deb dpkg-shlibdeps git; do
  command -v $tool >/dev/null || exit 77
done
git -C "$1" rev-parse --git-dir >/dev/null 2>&1 || exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
make -s -C "$1" dist DIST="$folder"
tar xzf kiln-*.tar.gz
source=$(ls -d kiln-*/)
"$source/scripts/deb.py" --build "$folder/build" --dist "$folder"
lib=usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
for name in libkiln0 libkiln-dev kiln; do
  dpkg-deb -x ${name}_*.deb root
  dpkg-deb -f ${name}_*.deb Depends | grep -q . || { echo "$name depends on nothing" >&2; exit 1; }
done
# LLVM is loaded when something is compiled: a machine that runs what others compiled does without.
dpkg-deb -f libkiln0_*.deb Recommends | grep -q libllvm19 || { echo "libkiln0 does not recommend LLVM" >&2; exit 1; }
! dpkg-deb -f libkiln0_*.deb Depends | grep -E 'llvm|stdc' || { echo "libkiln0 depends on LLVM" >&2; exit 1; }
test -s root/usr/share/man/man1/kiln-run.1.gz
test -s root/usr/share/bash-completion/completions/kiln
test -s "root/$lib/pkgconfig/kiln.pc"
echo 'kernel void f(global float *x) { x[get_global_id(0)] += 1.5f; }' >f.cl
printed=$(COMPILE_CACHE=off LD_LIBRARY_PATH=root/$lib root/usr/bin/kiln run f.cl -b cpu -g 3 -p 0:f32 iota:f32:3)
[ "$printed" = "0: 1.5 2.5 3.5" ] || { echo "the packaged command printed '$printed'" >&2; exit 1; }
if command -v lintian >/dev/null; then
  complaints=$(lintian --tag-display-limit 0 ./*.deb 2>/dev/null)
  [ -z "$complaints" ] || { echo "$complaints" >&2; exit 1; }
fi
