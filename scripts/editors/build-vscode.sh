#!/usr/bin/env bash
# Checks, bundles and packages the VS Code extension: editors/vscode/rolebook.vsix.
set -euo pipefail

cd "$(dirname "$0")/../../editors/vscode"
npm ci --no-audit --no-fund
npm run check
npm run package
