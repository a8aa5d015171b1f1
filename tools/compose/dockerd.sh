# shellcheck shell=bash
# Sourced by verify.sh and verify-llama-cpp.sh: a Docker daemon to work with. Takes the one that runs
# already, else starts a private one, with a socket of its own.
#
# The sourcing script has job control on (set -m), so that an interrupt does not reach the daemon before the clean-up does.
#
#   start_dockerd CACHE_FOLDER   images and build layers stay there for the next run
#   stop_dockerd                 undoes what start_dockerd did; nothing, if it did nothing

dockerd_pid=
dockerd_run=
dockerd_forwarding=
dockerd_forward_policy=

start_dockerd() {
  if docker info >/dev/null 2>&1; then return; fi

  # A data root serves one daemon at a time.
  mkdir -p "$1"
  exec 9>"$1/lock"
  flock --wait 600 9 || {
    echo "another run holds $1" >&2
    return 1
  }

  dockerd_run=$(mktemp -d /tmp/roost-dockerd.XXXXXX)
  dockerd_forwarding=$(cat /proc/sys/net/ipv4/ip_forward)
  dockerd_forward_policy=$(iptables -S FORWARD | awk '$1 == "-P" { print $3 }')
  export DOCKER_HOST=unix://$dockerd_run/docker.sock

  # vfs works on any file system, but copies every layer whole.
  local driver
  for driver in overlay2 vfs; do
    dockerd --storage-driver "$driver" --data-root "$1/$driver" \
      --exec-root "$dockerd_run/exec" --pidfile "$dockerd_run/dockerd.pid" \
      --host "$DOCKER_HOST" >"$dockerd_run/dockerd.log" 2>&1 9>&- &
    dockerd_pid=$!
    local deadline=$((SECONDS + 60))
    while ((SECONDS < deadline)) && kill -0 "$dockerd_pid" 2>/dev/null; do
      if docker info >/dev/null 2>&1; then return; fi
      sleep 0.2
    done
    echo "dockerd does not start with $driver:" >&2
    tail -n 5 "$dockerd_run/dockerd.log" >&2
    end_dockerd_process
  done
  return 1
}

stop_dockerd() {
  if [[ -z $dockerd_run ]]; then return; fi
  end_dockerd_process

  # What dockerd leaves in the machine's network when it ends.
  ip link delete docker0 2>/dev/null || true
  local table
  for table in nat filter; do
    iptables-save --table "$table" | grep -v -e DOCKER -e docker0 | iptables-restore --table "$table" || true
  done
  if [[ -n $dockerd_forward_policy ]]; then iptables -P FORWARD "$dockerd_forward_policy"; fi
  echo "$dockerd_forwarding" >/proc/sys/net/ipv4/ip_forward

  local mounted
  awk -v run="$dockerd_run" 'index($2, run) == 1 { print $2 }' /proc/mounts | while read -r mounted; do
    umount "$mounted" || true
  done
  rm -rf "$dockerd_run"
  dockerd_run=
}

end_dockerd_process() {
  if [[ -z $dockerd_pid ]]; then return; fi
  kill "$dockerd_pid" 2>/dev/null || true
  local deadline=$((SECONDS + 30))
  while kill -0 "$dockerd_pid" 2>/dev/null; do
    if ((SECONDS >= deadline)); then
      kill -KILL "$dockerd_pid" 2>/dev/null || true
      break
    fi
    sleep 0.2
  done
  wait "$dockerd_pid" 2>/dev/null || true
  dockerd_pid=
}
