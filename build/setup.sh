#!/bin/sh
# Installs the packages of package-lock.json unless they are installed; runs before start and test.
set -eu
cd "$(dirname "$0")/.."
if [ node_modules/.package-lock.json -nt package-lock.json ] && node_modules/.bin/bun --version >/dev/null 2>&1; then exit 0; fi
echo "Installing dependencies (once)..." >&2
# Prevents a second download of a browser: @sparticuz/chromium contains the one in use.
export PUPPETEER_SKIP_DOWNLOAD=1
if command -v npm >/dev/null 2>&1; then
  # "npm ci" would refuse a lock file without the packages for other systems, as some registry mirrors cause it.
  npm install --no-save --no-audit --no-fund --loglevel=error
  # Without install scripts, npm leaves bun's launcher without its binary.
  node_modules/.bin/bun --version >/dev/null 2>&1 || node node_modules/bun/install.js
else
  bun install --no-save
fi
