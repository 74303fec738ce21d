#!/bin/sh
# Runs a test in Node, or says why not: run.sh SCRIPT ARGUMENT ...
command -v node >/dev/null || {
  echo "skipped: no node"
  exit 77
}
exec timeout 500 node "$@"
