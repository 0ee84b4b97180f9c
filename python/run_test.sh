#!/usr/bin/env bash
# Runs a pytest file on the package as it was built: run_test.sh PYTHON FILE...
set -euo pipefail
python=$1
shift
export PYTHONPATH=$PWD/python PYTHONDONTWRITEBYTECODE=1
# Of a package with AddressSanitizer, the sanitizer has to be there before everything else.
if grep -q __asan_init python/tagflow/_core.abi3.so; then
  LD_PRELOAD=$(gcc -print-file-name=libasan.so)
  export LD_PRELOAD ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
fi
exec "$python" -m pytest -q -rP -p no:cacheprovider --rootdir="$PWD/python" "$@"
