#!/usr/bin/env bash
# Finds a Chromium for the self-tests, or installs Debian's. Prints its path; fails loudly when there is none to be had.
# Says on stderr what it is going to install, and why, before it does.
set -euo pipefail

if [ -n "${CHROMIUM_PATH:-}" ]; then
  command -v "$CHROMIUM_PATH" && exit 0
  echo "CHROMIUM_PATH is $CHROMIUM_PATH, and no program is there." >&2
  exit 1
fi

may_install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }

# Its first word is the reason, the others are packages.
install() {
  local why=$1
  shift
  echo "The self-tests need a browser. $why: installing the system package $* with apt-get (apt-get update first). To install nothing, set CHROMIUM_PATH to a Chromium that is there." >&2
  local quick=(-qq -o Acquire::Retries=0 -o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20)
  export DEBIAN_FRONTEND=noninteractive
  { apt-get "${quick[@]}" update && apt-get "${quick[@]}" install -y --no-install-recommends "$@"; } >&2
}

# The headless shell has no window, which halves what the tests cost. On a machine that is thrown away after the run, it is
# fetched even where a whole Chromium is there.
command -v chromium-headless-shell && exit 0
if [ -n "${CI:-}" ] && may_install && install "CI is set, and the headless shell costs half of a whole Chromium" chromium-headless-shell; then
  command -v chromium-headless-shell && exit 0
fi
for candidate in chromium chromium-browser google-chrome google-chrome-stable; do
  command -v "$candidate" && exit 0
done
if may_install; then
  for package in chromium-headless-shell chromium; do
    if install "None was found" "$package"; then
      command -v "$package" && exit 0
    fi
  done
fi
echo "The self-tests drive a real Chromium, and none was found: install one (Debian: apt-get install chromium) or set CHROMIUM_PATH." >&2
exit 1
