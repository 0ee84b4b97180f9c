#!/bin/sh
# fuzz_engine.sh TAGFLOW OPTION...: a `tagflow fuzz` that is a test; what it saves is the test's.
set -eu
tagflow=$1
shift
exec "$tagflow" fuzz --against direct --seed 3 --save "${TEST_UNDECLARED_OUTPUTS_DIR:-$TEST_TMPDIR}" "$@"
