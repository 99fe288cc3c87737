#!/bin/sh
# Records what the servers of the zoo answer, and writes the tables that are made from it: tests/selftest/rules and
# docs/kill-matrix.md.
#   npm run record-zoo              those whose recording is missing or no longer holds what the rules ask for
#   npm run record-zoo -- all       every one
#   npm run record-zoo -- no-key    that one
RECORD="$*" exec playwright test -c scripts/record-zoo
