#!/usr/bin/env bash
# Installs code-server 4.100.3 (VS Code 1.100.3), which the end-to-end test drives, into DIR: install-code-server.sh DIR
# Needs Node 20 with its headers, g++, make, python3 and ripgrep; the test itself needs Chromium.
# The last line printed is the path of the binary, for ROLEBOOK_CODE_SERVER.
#
# A plain `npm install` downloads prebuilt programs from elsewhere. This compiles what the editor needs and leaves out
# what it loads lazily (Kerberos, its own ripgrep), so that the registry is all that has to be reached.
set -euo pipefail

dir=${1:?usage: install-code-server.sh DIR}
mkdir -p "$dir"
dir=$(realpath "$dir")
export npm_config_nodedir=${npm_config_nodedir:-/usr} npm_config_audit=false npm_config_fund=false
export npm_config_loglevel=error
# The postinstall script of node-pty runs `npx node-gyp`, which asks otherwise.
export npm_config_yes=true

if [ ! -e "$dir/installed" ]; then
  (
    cd "$dir"
    [ -f package.json ] || npm init --yes
    npm install --ignore-scripts code-server@4.100.3
    npm rebuild --ignore-scripts=false argon2

    cd node_modules/code-server/lib/vscode
    npm install --omit=dev --ignore-scripts --no-save
    native=()
    for module in node-pty @vscode/spdlog native-watchdog @vscode/native-watchdog; do
      [ ! -d "node_modules/$module" ] || native+=("$module")
    done
    npm rebuild --ignore-scripts=false "${native[@]}"
    mkdir -p node_modules/@vscode/ripgrep/bin
    ln -sf "$(command -v rg)" node_modules/@vscode/ripgrep/bin/rg
    ln -sfn node_modules node_modules.asar
    ln -sf code-linux.sh bin/remote-cli/code-server
    ln -sf browser-linux.sh bin/helpers/browser.sh

    cd extensions
    npm install --omit=dev --ignore-scripts --no-save
  ) >&2
  touch "$dir/installed"
fi

"$dir/node_modules/.bin/code-server" --version >&2
echo "$dir/node_modules/.bin/code-server"
