#!/usr/bin/env bash
# Runs what the bundle carries on this machine's GPU: needs a driver and nothing installed. Where
# Python has JAX or PyTorch, their times come first.
#   run_gpu.sh [--minutes N]     (default: 10)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
minutes=10
if [ "${1:-}" = --minutes ]; then minutes=$2; fi
nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>/dev/null || echo "no nvidia-smi"
python=$(command -v python3 || true)
if [ -n "$python" ]; then
  "$python" "$here/conformance/gpu/gpu_peers.py" || true
  # Where the loader knows no cuBLAS, PyTorch may have brought one.
  find_cublas='import glob, sys; print(*glob.glob(
      sys.prefix + "/lib/python3*/site-packages/nvidia/*/lib/libcublas.so.1[23]")[:1])'
  export TAGFLOW_CUBLAS=${TAGFLOW_CUBLAS:-$("$python" -c "$find_cublas")}
  if [ -z "$TAGFLOW_CUBLAS" ]; then unset TAGFLOW_CUBLAS; fi
fi
export LD_LIBRARY_PATH=$here/lib
failed=0
# Runs a command for so many minutes at most, and says so where that was too few.
limited() {
  local rc=0
  timeout "$((minutes * 60))" "$@" || rc=$?
  if [ "$rc" = 124 ]; then printf 'FAIL\t%s\tcut off after %d min\n' "$(basename "$1")" "$minutes"; fi
  return "$rc"
}
limited "$here/gpu_suite" suites "$here" | tee "$here/suites.txt" || failed=1
if grep -q '^SKIPPED: no device' "$here/suites.txt"; then exit 0; fi
for property in equal gradient second_order; do
  for engine in optimized-gpu:1 optimized-gpu-native:1 optimized-gpu-tokens:1; do
    printf 'FUZZ\t%s\t%s\t' "$property" "$engine"
    limited "$here/gpu_suite" fuzz --engine "$engine" --property "$property" \
      --count 1700 --jobs 8 --save "$here/failures" | tail -1 || failed=1
  done
done
exit "$failed"
