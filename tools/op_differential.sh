#!/usr/bin/env bash
# Runs op_differential.py in the checkout, with the Python of the peers' environment.
set -euo pipefail
tagflow=$(realpath "$1")
shift
root=${BUILD_WORKSPACE_DIRECTORY:-$(dirname "$(realpath WORKSPACE)")}
python="${TAGFLOW_PEERS:-$root/.peers}/bin/python"
if [ ! -x "$python" ]; then
  echo "SKIPPED: no peers: tools/make_peers.sh makes them"
  exit 0
fi
exec "$python" "$root/conformance/recorder/op_differential.py" "$tagflow" "$@"
