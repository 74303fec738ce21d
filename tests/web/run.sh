#!/bin/sh
# Runs a test in Node, or prints a reason to skip it: run.sh SCRIPT ARGUMENT ...
command -v node >/dev/null || {
  echo "skipped: no node"
  exit 77
}
exec timeout 500 node "$@"
