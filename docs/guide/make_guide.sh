#!/usr/bin/env bash
# make_guide.sh PYTHON OUT.html: as make_guide.py, which needs the packages of that Python.
set -euo pipefail
exec "$1" docs/guide/make_guide.py docs/guide/guide.md "$2"
