#!/bin/sh
# Installs the routers that `npm run bench:peers` compares with, at the versions that docs/benchmarks.md names: the Debian
# ones by apt-get (root), each of the Python ones in a virtual environment of its own, since their dependencies conflict.
# Takes them away again: rm -rf "$ROOST_PEERS". What is installed already is left alone, and what fails stops no other.
set -u
PEERS=${ROOST_PEERS:-$HOME/.cache/roost-peers}
mkdir -p "$PEERS"

if ! command -v haproxy >/dev/null || ! command -v nginx >/dev/null; then
  apt-get update
  # A policy of 101 keeps the packages from starting their services.
  test -e /usr/sbin/policy-rc.d || { printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d; chmod 755 /usr/sbin/policy-rc.d; made=1; }
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends haproxy nginx-light || echo "haproxy, nginx: not installed" >&2
  test -z "${made:-}" || rm /usr/sbin/policy-rc.d
fi

# Newer releases of LiteLLM ask for a version of litellm-proxy-extras that PyPI does not have.
for package in smg==1.13.0 vllm-router==0.1.17 sglang-router==0.3.2 'litellm[proxy]==1.100.0'; do
  name=${package%%[=[]*}
  "$PEERS/$name/bin/pip" show -q "$name" 2>/dev/null && continue
  python3 -m venv "$PEERS/$name" && "$PEERS/$name/bin/pip" install -q --only-binary :all: "$package" || echo "$name: not installed" >&2
done
