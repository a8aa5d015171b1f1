#!/usr/bin/env bash
# Proves that the profile llama-cpp of docker-compose.yml works: builds its images, starts its cluster with SmolLM2, checks
# through the edge where sub-agents go and what they find cached, and leaves nothing running. Ends with a line "N passed,
# N failed".
#
# usage: verify-llama-cpp.sh     as verify.sh, and after `npm run roost model fetch smollm2-135m`
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
source "$here/dockerd.sh"

export DOCKER_BUILDKIT=0
export COMPOSE_PROJECT_NAME=roost-llama-$$ IMAGE_TAG=llama-$$ EDGE_ADDRESS=127.0.0.1
images=(edge llama-context-worker llama-generation-worker)
services=(llama-context-0 llama-context-1 llama-generation-0 llama-generation-1 llama-edge)
if docker compose version >/dev/null 2>&1; then compose=(docker compose); else compose=(docker-compose); fi
compose+=(--file "$root/docker-compose.yml" --profile llama-cpp)

source "$here/checks.sh"

main() {
  start_dockerd "${VERIFY_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/roost-compose}"
  ROOST_INTERNAL_REQUEST_AUTH_KEY=$(head -c 32 /dev/urandom | sha256sum | cut -c1-64)
  BASE_IMAGE=${BASE_IMAGE:-$("$here/stand-in-base.sh" 2>"$log")}
  LLAMA_EDGE_PORT=$(node -e 'const s = require("node:net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')
  export ROOST_INTERNAL_REQUEST_AUTH_KEY BASE_IMAGE LLAMA_EDGE_PORT
  url=http://127.0.0.1:$LLAMA_EDGE_PORT

  need "the images build" "${compose[@]}" build llama-edge llama-context-0 llama-generation-0
  check "the workers' images hold the runtime for this machine's CPU, and no other" runtime_is_pruned
  need "the cluster starts, all containers healthy" timeout 300 "${compose[@]}" up -d llama-edge
  check "only the cluster with the model was started" only_its_services_run
  check "the edge is healthy" node "$here/verify-cluster.mjs" await-health "$url" 200
  check "all instances serve" node "$here/verify-cluster.mjs" await-serving "$url" 2 2
  check "workers cannot write to the models" models_are_read_only
  check "sub-agents land on their parent's instance and rank, and find its cache there" placement
  check "SIGTERM ends every container with exit code 0" containers_end_cleanly
}

runtime_is_pruned() {
  local image
  for image in llama-context-worker llama-generation-worker; do
    docker run --rm --entrypoint sh "roost/$image:$IMAGE_TAG" -c '
      cd libs/engine-llama-cpp/runtime/node_modules/@node-llama-cpp && test "$(ls)" = "linux-$(node -p process.arch)"' || return 1
  done
}

only_its_services_run() {
  local expected
  expected=$(printf '%s\n' "${services[@]}" | sort)
  [[ $(docker ps --filter "label=com.docker.compose.project=$COMPOSE_PROJECT_NAME" \
    --format '{{.Label "com.docker.compose.service"}}' | sort) == "$expected" ]]
}

models_are_read_only() {
  docker exec --user 0 "$(container_of llama-context-0)" sh -c 'test -r /models/SmolLM2-135M-Instruct.Q8_0.gguf && ! touch /models/x'
}

placement() {
  node "$root/tools/cli/dist/main.js" demo --url "$url" --json >"$log.demo" &&
    node "$here/verify-cluster.mjs" placement <"$log.demo"
}

containers_end_cleanly() {
  local service
  "${compose[@]}" stop --timeout 30 || return 1
  for service in "${services[@]}"; do
    [[ $(docker inspect --format '{{.State.ExitCode}}' "$(container_of "$service")") == 0 ]] || return 1
  done
}

finish() {
  local code=$? image
  trap - EXIT
  trap '' INT TERM HUP
  set +e
  end_running_check
  if docker info >/dev/null 2>&1; then
    timeout 120 "${compose[@]}" down --volumes --timeout 5 >/dev/null 2>&1
    for image in "${images[@]}"; do docker image rm "roost/$image:$IMAGE_TAG" >/dev/null 2>&1; done
  fi
  stop_dockerd
  if [[ -s $log.demo ]]; then cat "$log.demo"; fi
  rm -f "$log" "$log.demo"
  finish_checks "$code"
}

main
