#!/usr/bin/env bash
# Makes a stand-in for the official Node image, for a machine that reaches no
# container registry: a minimal Debian with Node and npm from the npm registry.
#
# usage: stand-in-base.sh
# Prints the image's name on standard output; everything else goes to standard
# error. The name carries a hash of all that went into the image, so an image
# that is already there is used as it is. Needs root, docker, debootstrap, npm.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
npm_version=11.19.1
ca_bundle=${NODE_EXTRA_CA_CERTS:-/etc/ssl/certs/ca-certificates.crt}

node_version=$(node -p 'require(process.argv[1]).devDependencies.node' "$here/../../package.json")
node_package=node-linux-$(node -p process.arch)
suite=$(source /etc/os-release && echo "$VERSION_CODENAME")
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Release: $suite" | head -n 1)
: "${mirror:?apt names no mirror to take a base system from}"

key=$(
  {
    cat "${BASH_SOURCE[0]}"
    echo "$node_version $suite"
    if [[ -r $ca_bundle ]]; then cat "$ca_bundle"; fi
  } | sha256sum | cut -c1-12
)
image=roost-stand-in-node:$node_version-$key
if docker image inspect "$image" >/dev/null 2>&1; then
  echo "$image"
  exit
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rootfs=$work/rootfs

echo "stand-in base: $suite with node $node_version" >&2
debootstrap --variant=minbase "$suite" "$rootfs" "$mirror" >"$work/debootstrap.log" 2>&1 || {
  tail -n 20 "$work/debootstrap.log" >&2
  exit 1
}
npm install --prefix "$work/npm" --ignore-scripts --no-audit --no-fund --no-save \
  "$node_package@$node_version" "npm@$npm_version" >&2

# The same places as in the official image, so that the Dockerfile sees no difference.
install -m 755 "$work/npm/node_modules/$node_package/bin/node" "$rootfs/usr/local/bin/node"
mkdir -p "$rootfs/usr/local/lib/node_modules"
cp -a "$work/npm/node_modules/npm" "$rootfs/usr/local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$rootfs/usr/local/bin/npm"
ln -s ../lib/node_modules/npm/bin/npx-cli.js "$rootfs/usr/local/bin/npx"
chroot "$rootfs" groupadd --gid 1000 node
chroot "$rootfs" useradd --uid 1000 --gid node --create-home node
rm -rf "$rootfs"/var/cache/apt/archives/*.deb "$rootfs"/var/lib/apt/lists/* \
  "$rootfs"/usr/share/{doc,man,locale}/*

environment=(--change 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin')
if [[ -r $ca_bundle ]]; then
  install -D -m 644 "$ca_bundle" "$rootfs/etc/ssl/certs/ca-certificates.crt"
  environment+=(--change 'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt')
fi
tar -C "$rootfs" -c . | docker import "${environment[@]}" --change 'CMD ["node"]' - "$image" >&2
echo "$image"
