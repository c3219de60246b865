#!/bin/sh
# Installs the packages of package-lock.json unless they are installed; runs before start and test.
set -eu
cd "$(dirname "$0")/.."
# npm writes the marker last: an installation that was interrupted is repeated.
is_installed() { [ node_modules/.package-lock.json -nt package-lock.json ] && node_modules/.bin/bun --version >/dev/null 2>&1; }
if is_installed; then exit 0; fi
# One installation at a time; the kernel ends the lock with this process. macOS has no such command, and goes without.
exec 9<package-lock.json
if command -v flock >/dev/null 2>&1; then flock 9 || true; fi
if is_installed; then exit 0; fi
echo "Installing dependencies (once)..." >&2
# Prevents a second download of a browser: @sparticuz/chromium contains the one in use.
export PUPPETEER_SKIP_DOWNLOAD=1
if command -v npm >/dev/null 2>&1; then
  npm ci --no-audit --no-fund --loglevel=error >&2
  # Without install scripts, npm leaves bun's launcher without its binary.
  node_modules/.bin/bun --version >/dev/null 2>&1 || node node_modules/bun/install.js
else
  bun install --no-save >&2
fi
