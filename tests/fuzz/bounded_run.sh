#!/bin/sh
# bounded_run.sh FUZZER CORPUS DICTIONARY RUNS: a run of libFuzzer that is the same each time and leaves CORPUS alone.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/new"
if ! "$1" -seed=1 -runs="$4" -max_len=2048 -dict="$3" -print_final_stats=1 -artifact_prefix="$scratch/" \
    "$scratch/new" "$2" >"$scratch/log" 2>&1; then
    tail -n 40 "$scratch/log"
    echo "The text on which it failed (put it into $2 as a file of its own):"
    cat "$scratch"/crash-* "$scratch"/timeout-* "$scratch"/oom-* 2>/dev/null || true
    exit 1
fi
tail -n 8 "$scratch/log"
