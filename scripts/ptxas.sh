#!/bin/sh
# Fetches NVIDIA's assembler from PyPI, with which tests check code for its GPUs, unless it is there already.
#   ptxas.sh FOLDER     FOLDER/ptxas is the program afterwards
set -eu

version=12.9.86 # the last but one major version: later ones have dropped GPUs before sm_75
folder=$1
[ ! -x "$folder/ptxas" ] || exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m pip download --quiet --no-deps --only-binary :all: --dest "$work" "nvidia-cuda-nvcc-cu12==$version"
python3 -m zipfile -e "$work"/nvidia_cuda_nvcc_cu12-*.whl "$work/wheel"
mkdir -p "$folder"
cp "$work/wheel/nvidia/cuda_nvcc/bin/ptxas" "$folder/ptxas.$$"
chmod 755 "$folder/ptxas.$$"
mv "$folder/ptxas.$$" "$folder/ptxas" # whole, whoever else fetches it
