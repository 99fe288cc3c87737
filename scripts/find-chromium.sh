#!/usr/bin/env bash
# Finds a Chromium for the self-tests, or installs Debian's. Prints its path; fails loudly when there is none to be had.
set -euo pipefail

if [ -n "${CHROMIUM_PATH:-}" ]; then
  command -v "$CHROMIUM_PATH" && exit 0
  echo "CHROMIUM_PATH is $CHROMIUM_PATH, and no program is there." >&2
  exit 1
fi
# The headless shell first: it has no window, which halves what the tests cost.
for candidate in chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable; do
  command -v "$candidate" && exit 0
done
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "No Chromium found: installing Debian's." >&2
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq >&2
  for package in chromium-headless-shell chromium; do
    if apt-get install -y -qq --no-install-recommends "$package" >&2; then
      command -v "$package"
      exit 0
    fi
  done
fi
echo "The self-tests drive a real Chromium, and none was found: install one (Debian: apt-get install chromium) or set CHROMIUM_PATH." >&2
exit 1
