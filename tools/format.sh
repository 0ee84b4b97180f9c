#!/usr/bin/env bash
# Formats the C++ and CUDA files of the tree in place.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
git ls-files -z '*.cc' '*.h' '*.cu' | xargs -0 -r clang-format -i --style=file
