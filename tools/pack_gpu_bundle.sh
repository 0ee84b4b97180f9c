#!/usr/bin/env bash
# Packs a program and what it needs into one file, for a machine that has none of it: the
# libraries but for those of C itself, run_gpu.sh, and files of conformance/.
#   pack_gpu_bundle.sh OUT NATIVE_LIBRARY GPU_SUITE RUN_GPU FILE...
# NATIVE_LIBRARY, which makes kernels of several nodes, is empty where there is none.
set -euo pipefail
out=$1 native=$2 suite=$3 run=$4
shift 4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
bundle=$folder/tagflow_gpu
mkdir -p "$bundle/lib"
cp -L "$suite" "$bundle/gpu_suite"
cp -L "$run" "$bundle/run_gpu.sh"
if [ -n "$native" ]; then cp -L "$native" "$bundle/"; fi
ldd "$suite" | awk '$2 == "=>" && $3 ~ /^\// {print $3}' |
  grep -vE '/(libc|libm|libpthread|libdl|librt)\.so' | sort -u | xargs -I{} cp -L {} "$bundle/lib/"
for file in "$@"; do
  mkdir -p "$bundle/$(dirname "$file")"
  cp -L "$file" "$bundle/$file"
done
chmod -R u+w "$bundle"
chmod +x "$bundle/gpu_suite" "$bundle/run_gpu.sh"
tar -C "$folder" -cJf "$out" tagflow_gpu
