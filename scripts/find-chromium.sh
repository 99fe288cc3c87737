#!/usr/bin/env bash
# Finds a Chromium for the self-tests, or installs Debian's. Prints its path; fails loudly when there is none to be had.
set -euo pipefail

for candidate in "${CHROMIUM_PATH:-}" chromium chromium-browser google-chrome google-chrome-stable; do
  if [ -n "$candidate" ] && path=$(command -v "$candidate"); then
    echo "$path"
    exit 0
  fi
done
if [ -n "${CHROMIUM_PATH:-}" ]; then
  echo "CHROMIUM_PATH is $CHROMIUM_PATH, and no program is there." >&2
  exit 1
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "No Chromium found: installing Debian's." >&2
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq >&2
  apt-get install -y -qq --no-install-recommends chromium >&2
  command -v chromium
  exit 0
fi
echo "The self-tests drive a real Chromium, and none was found: install one (Debian: apt-get install chromium) or set CHROMIUM_PATH." >&2
exit 1
