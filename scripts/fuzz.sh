#!/bin/sh
# Runs the property tests and the generated services on fresh seeds, for FUZZ_MS milliseconds each.
#   npm run fuzz             all of them
#   npm run fuzz -- oracle   those whose file names hold "oracle"
if [ $# -eq 0 ]; then set -- engine/properties wire/redaction rules/outages oracle; fi
FUZZ_MS="${FUZZ_MS:-200000}" exec playwright test -c tests/selftest "$@"
