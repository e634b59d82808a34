#!/bin/sh
# In place of ptxas: makes cubins that the stand-in for libcuda.so.1 runs (standin.h). FAKE_PTXAS says how it fails:
# crash, hang, old, empty.
case $FAKE_PTXAS in
crash) kill -SEGV $$ ;;
hang) exec sleep 60 ;;
empty) [ "$1" = --version ] || exit 0 ;;
esac
if [ "$1" = --version ]; then
  echo "Cuda compilation tools, release 12.9, V12.9.86"
  exit
fi
while [ $# -gt 0 ]; do
  case $1 in
  -arch) arch=$2 && shift ;;
  -o) out=$2 && shift ;;
  -v) ;;
  *) in=$1 ;;
  esac
  shift
done
if [ "$FAKE_PTXAS" = old ]; then
  echo "ptxas $in, line 5; fatal   : Unsupported .version 7.8; current version is '7.0'" >&2
  exit 255
fi
{
  printf '\177ELF\002\001\001'
  head -c 57 /dev/zero
  printf 'stand-in cubin %s\n' "$arch"
  cat "$in"
  printf '\0'
} >"$out"
sed -n "s/.*\.entry \([A-Za-z0-9_]*\).*/ptxas info    : Compiling entry function '\1' for '$arch'\nptxas info    : Function properties for \1\n    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\nptxas info    : Used 40 registers, used 0 barriers, 1024 bytes smem/p" "$in" >&2
