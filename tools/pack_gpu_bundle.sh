#!/usr/bin/env bash
# Packs two programs and what they need into one file, for a machine that has none of it: the
# libraries but for those of C itself, run_gpu.sh, and files of conformance/.
#   pack_gpu_bundle.sh OUT GPU_SUITE TAGFLOW RUN_GPU FILE...
set -euo pipefail
out=$1 suite=$2 tagflow=$3 run=$4
shift 4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
bundle=$folder/tagflow_gpu
mkdir -p "$bundle/lib"
cp -L "$suite" "$bundle/gpu_suite"
cp -L "$tagflow" "$bundle/tagflow"
cp -L "$run" "$bundle/run_gpu.sh"
ldd "$suite" "$tagflow" | awk '$2 == "=>" && $3 ~ /^\// {print $3}' |
  grep -vE '/(libc|libm|libpthread|libdl|librt)\.so' | sort -u | xargs -I{} cp -L {} "$bundle/lib/"
for file in "$@"; do
  mkdir -p "$bundle/$(dirname "$file")"
  cp -L "$file" "$bundle/$file"
done
chmod -R u+w "$bundle"
chmod +x "$bundle/gpu_suite" "$bundle/tagflow" "$bundle/run_gpu.sh"
tar -C "$folder" -cJf "$out" tagflow_gpu
