#!/bin/sh
# Installs what one app needs at run time, from the lockfile, and takes away the
# manifests of the workspace packages that it does not need.
#
# usage: install-app.sh APP_FOLDER (in a folder with every manifest and the lockfile)
set -eu

npm ci --ignore-scripts --omit=dev --workspace "$1" --cache /tmp/npm
rm -rf /tmp/npm package-lock.json package.json .npmrc "$0"

for manifest in apps/*/package.json libs/*/package.json tools/*/package.json; do
  folder=${manifest%/package.json}
  if [ -z "$(find node_modules/@roost -lname "../../$folder")" ]; then
    rm -rf "$folder"
  fi
done
find apps libs tools -type d -empty -delete
