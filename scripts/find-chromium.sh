#!/usr/bin/env bash
# Finds a Chromium for the self-tests, or installs Debian's. Prints its path; fails loudly when there is none to be had.
set -euo pipefail

if [ -n "${CHROMIUM_PATH:-}" ]; then
  command -v "$CHROMIUM_PATH" && exit 0
  echo "CHROMIUM_PATH is $CHROMIUM_PATH, and no program is there." >&2
  exit 1
fi

install() {
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
  local quick=(-qq -o Acquire::Retries=0 -o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20)
  export DEBIAN_FRONTEND=noninteractive
  { apt-get "${quick[@]}" update && apt-get "${quick[@]}" install -y --no-install-recommends "$@"; } >&2
}

# The headless shell has no window, which halves what the tests cost. On a machine that is thrown away after the run, it is
# fetched even where a whole Chromium is there.
command -v chromium-headless-shell && exit 0
if [ -n "${CI:-}" ] && install chromium-headless-shell 2>/dev/null; then
  command -v chromium-headless-shell && exit 0
fi
for candidate in chromium chromium-browser google-chrome google-chrome-stable; do
  command -v "$candidate" && exit 0
done
echo "No Chromium found: installing Debian's." >&2
for package in chromium-headless-shell chromium; do
  if install "$package"; then
    command -v "$package" && exit 0
  fi
done
echo "The self-tests drive a real Chromium, and none was found: install one (Debian: apt-get install chromium) or set CHROMIUM_PATH." >&2
exit 1
