#!/usr/bin/env bash
# Makes the virtual environment that holds the peers (TensorFlow, JAX, ONNX Runtime), from PyPI.
#
#   tools/make_peers.sh [FOLDER]
#
# FOLDER is by default $TAGFLOW_PEERS, else .peers/ in the checkout. Running it again brings an old
# environment up to date. The default tests do not need it: what is not there is named and skipped.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
peers=${1:-${TAGFLOW_PEERS:-$root/.peers}}
requirements=(-r "$root/conformance/adapters/tensorflow/requirements.txt"
              -r "$root/bench/peers/requirements.txt")

fail() { echo "make_peers: $*" >&2; exit 1; }

# TensorFlow has wheels for some versions of Python only; newest first.
find_python() {
  local candidate
  for candidate in "${PYTHON:-}" python3 python3.13 python3.12 python3.11; do
    [ -n "$candidate" ] && command -v "$candidate" >/dev/null || continue
    if "$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  return 1
}

python=$(find_python) || fail "no Python 3.11, 3.12 or 3.13 found. On Debian 12: apt-get install python3 python3-venv
(or name one: PYTHON=/path/to/python3 tools/make_peers.sh)"
"$python" -c 'import ensurepip, venv' 2>/dev/null ||
  fail "$python has no venv module. On Debian 12: apt-get install python3-venv"
[ "$(uname -m)" = x86_64 ] || [ "$(uname -m)" = aarch64 ] ||
  fail "TensorFlow has no wheel for this processor ($(uname -m))"

echo "make_peers: $("$python" --version) -> $peers"
[ -x "$peers/bin/python" ] || "$python" -m venv "$peers" || fail "cannot make $peers"
"$peers/bin/python" -m pip install --disable-pip-version-check --progress-bar off "${requirements[@]}" ||
  fail "pip could not install ${requirements[*]} (is PyPI within reach?)"
for module in tensorflow jax onnxruntime; do
  TF_CPP_MIN_LOG_LEVEL=3 "$peers/bin/python" - "$module" <<'PY' || fail "$module is installed but does not start"
import importlib, sys
print("make_peers:", sys.argv[1], importlib.import_module(sys.argv[1]).__version__, "is ready")
PY
done
