#!/usr/bin/env bash
# Proves that the cluster of docker-compose.yml works: builds the images, starts
# the cluster, checks placement through the edge, takes workers away and gives
# them back, and leaves nothing running. Ends with a line "N passed, N failed".
#
# usage: verify.sh      (root; Debian with apt, node and npm; no container registry)
#
# environment:
#   BASE_IMAGE     base to build on; without it a stand-in is made here
#   VERIFY_CACHE   where a private Docker daemon keeps its images between runs
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
cache=${VERIFY_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/roost-compose}
source "$here/dockerd.sh"

# Classic builds do the same everywhere: docker-compose 1.29 knows no other.
export DOCKER_BUILDKIT=0
export COMPOSE_PROJECT_NAME=roost-verify-$$
export IMAGE_TAG=verify-$$ EDGE_ADDRESS=127.0.0.1
apps=(edge context-worker generation-worker)
services=(edge context-0 context-1 generation-0 generation-1)

source "$here/checks.sh"

main() {
  install_packages
  start_dockerd "$cache"

  check "without the shared key compose says what to set" refuses_without_key
  ROOST_INTERNAL_REQUEST_AUTH_KEY=$(head -c 32 /dev/urandom | sha256sum | cut -c1-64)
  export ROOST_INTERNAL_REQUEST_AUTH_KEY

  if [[ -z ${BASE_IMAGE:-} ]]; then
    need "a stand-in for the base image is there" make_base_image
    BASE_IMAGE=$(<"$log.base")
  fi
  EDGE_PORT=$(free_port)
  export BASE_IMAGE EDGE_PORT
  url=http://127.0.0.1:$EDGE_PORT

  need "the three images build" "${compose[@]}" build edge context-0 generation-0
  check "images run as a user that is not root" no_image_runs_as_root
  check "images hold no build tools, no sources and no other app" images_are_pruned

  need "the cluster starts" timeout 180 "${compose[@]}" up -d
  need "the edge is healthy" cluster await-health "$url" 200
  check "every container is healthy" every_container_is_healthy
  check "all instances serve" cluster await-serving "$url" 2 2
  check "sub-agents land on their parent's instance and rank, and find its cache there" placement

  check "one context worker gone: the edge sees it" without context-0 cluster await-serving "$url" 1 2
  check "one context worker gone: still healthy" cluster await-health "$url" 200
  check "one context worker gone: sub-agents still find their parent's cache" placement
  check "both context workers gone: not healthy" without context-1 cluster await-health "$url" 503
  check "both context workers gone: requests get 503 with Retry-After" cluster refuses "$url"
  check "context workers back: all instances serve" with "context-0 context-1" cluster await-serving "$url" 2 2
  check "context workers back: healthy" cluster await-health "$url" 200

  check "one generation worker gone: the edge sees it" without generation-0 cluster await-serving "$url" 2 1
  check "one generation worker gone: requests are still answered" placement
  check "generation worker back: all instances serve" with generation-0 cluster await-serving "$url" 2 2
  check "after all that sub-agents land where their parent is" placement

  check "SIGTERM ends every container in time and with exit code 0" containers_end_cleanly
  check "nothing of the cluster is left" nothing_is_left
}

install_packages() {
  local missing=()
  command -v dockerd >/dev/null || missing+=(docker.io)
  command -v debootstrap >/dev/null || missing+=(debootstrap)
  if ! docker compose version >/dev/null 2>&1; then
    command -v docker-compose >/dev/null || missing+=(docker-compose)
  fi
  if ((${#missing[@]})); then
    echo "installing ${missing[*]}"
    { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1 || {
      tail -n 20 "$log"
      return 1
    }
  fi
  if docker compose version >/dev/null 2>&1; then compose=(docker compose); else compose=(docker-compose); fi
  compose+=(--file "$root/docker-compose.yml")
}

make_base_image() { "$here/stand-in-base.sh" >"$log.base"; }

# without SERVICE COMMAND...: kills the service's container, then runs the command.
without() { docker kill "$(container_of "$1")" && "${@:2}"; }

# with "SERVICE..." COMMAND...: starts the services' containers again, then runs the command.
with() {
  local service
  for service in $1; do docker start "$(container_of "$service")" || return 1; done
  "${@:2}"
}

cluster() { node "$here/verify-cluster.mjs" "$@"; }
free_port() {
  node -e 'const s = require("node:net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })'
}

refuses_without_key() {
  local said
  if said=$(env -u ROOST_INTERNAL_REQUEST_AUTH_KEY "${compose[@]}" config 2>&1); then return 1; fi
  grep 'ROOST_INTERNAL_REQUEST_AUTH_KEY.*set it to a secret' <<<"$said"
}

no_image_runs_as_root() {
  local app
  for app in "${apps[@]}"; do
    docker run --rm --entrypoint sh "roost/$app:$IMAGE_TAG" \
      -c 'test "$(id -u)" -ne 0 && test ! -w /app && test ! -w "apps/$1/dist/main.js"' sh "$app" || return 1
  done
}

images_are_pruned() {
  local app
  for app in "${apps[@]}"; do
    docker run --rm --entrypoint sh "roost/$app:$IMAGE_TAG" -c '
      test "$(ls apps)" = "$1" &&
      test ! -e node_modules/typescript && test ! -e node_modules/jest &&
      test -z "$(find apps libs -name "*.ts" -not -path "*/node_modules/*")"' sh "$app" || return 1
  done
}

every_container_is_healthy() {
  local service deadline=$((SECONDS + 60))
  for service in "${services[@]}"; do
    until [[ $(docker inspect --format '{{.State.Health.Status}}' "$(container_of "$service")") == healthy ]]; do
      if ((SECONDS > deadline)); then
        echo "$service does not become healthy"
        return 1
      fi
      sleep 0.5
    done
  done
}

placement() {
  node "$root/tools/start/start.mjs" demo --url "$url" --json >"$log.demo" &&
    cluster placement <"$log.demo"
}

containers_end_cleanly() {
  local service code
  "${compose[@]}" stop --timeout 30 || return 1
  for service in "${services[@]}"; do
    code=$(docker inspect --format '{{.State.ExitCode}}' "$(container_of "$service")")
    if [[ $code != 0 ]]; then
      echo "$service ended with $code"
      return 1
    fi
  done
}

nothing_is_left() {
  "${compose[@]}" down --volumes || return 1
  local label=com.docker.compose.project=$COMPOSE_PROJECT_NAME
  test -z "$(docker ps --all --quiet --filter "label=$label")" &&
    test -z "$(docker network ls --quiet --filter "label=$label")"
}

finish() {
  local code=$?
  trap - EXIT
  trap '' INT TERM HUP
  set +e
  end_running_check
  if docker info >/dev/null 2>&1 && [[ -n ${compose:-} ]]; then
    timeout 120 "${compose[@]}" down --volumes --timeout 5 >/dev/null 2>&1
    local app
    for app in "${apps[@]}"; do docker image rm "roost/$app:$IMAGE_TAG" >/dev/null 2>&1; done
    # Layers of earlier builds, in a daemon that is ours alone.
    if [[ -n $dockerd_run ]]; then docker image prune --force --filter until=24h >/dev/null; fi
  fi
  stop_dockerd
  rm -f "$log" "$log.base" "$log.demo"
  finish_checks "$code"
}

main
