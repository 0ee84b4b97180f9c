#!/usr/bin/env bash
# Packs a program and what it needs into one file, for a machine that has none of it: the libraries
# but for those of C itself, run_gpu.sh, and files of conformance/.
#   pack_gpu_bundle.sh OUT PROGRAM RUN_GPU FILE...
set -euo pipefail
out=$1 program=$2 run=$3
shift 3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
bundle=$folder/tagflow_gpu
mkdir -p "$bundle/lib"
cp -L "$program" "$bundle/gpu_suite"
cp -L "$run" "$bundle/run_gpu.sh"
ldd "$program" | awk '$2 == "=>" && $3 ~ /^\// {print $3}' |
  grep -vE '/(libc|libm|libpthread|libdl|librt)\.so' | xargs -I{} cp -L {} "$bundle/lib/"
for file in "$@"; do
  mkdir -p "$bundle/$(dirname "$file")"
  cp -L "$file" "$bundle/$file"
done
chmod -R u+w "$bundle"
chmod +x "$bundle/gpu_suite" "$bundle/run_gpu.sh"
tar -C "$folder" -cJf "$out" tagflow_gpu
