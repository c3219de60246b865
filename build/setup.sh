#!/bin/sh
# Installs what package-lock.json names, unless it is installed already; called before start and test.
set -eu
cd "$(dirname "$0")/.."
if [ node_modules/.package-lock.json -nt package-lock.json ] && node_modules/.bin/bun --version >/dev/null 2>&1; then exit 0; fi
echo "Installing dependencies (once)..." >&2
# No package may download a browser of its own: the one in use travels inside @sparticuz/chromium.
export PUPPETEER_SKIP_DOWNLOAD=1
if command -v npm >/dev/null 2>&1; then
  # Not "npm ci": it refuses a lock file that leaves out packages for other systems, as a registry mirror may have had it written.
  npm install --no-save --no-audit --no-fund --loglevel=error
  # An npm that holds install scripts back leaves bun's launcher without its binary.
  node_modules/.bin/bun --version >/dev/null 2>&1 || node node_modules/bun/install.js
else
  bun install --no-save
fi
