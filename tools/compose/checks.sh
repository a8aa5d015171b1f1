# shellcheck shell=bash
# Sourced by verify.sh and verify-llama-cpp.sh: checks that are counted, and what they say when they fail.
#
# The sourcing script sets `compose`, the command for its cluster, exports COMPOSE_PROJECT_NAME, and defines `finish`, which
# runs at its end.
#
#   check TITLE COMMAND...   counts into `passed` or `failed`
#   need TITLE COMMAND...    ends the script as well, where it fails
#   end_running_check        ends the check that an interrupt has met
#   finish_checks CODE       shows "N passed, N failed"; fails where any check did, or CODE is not 0

passed=0
failed=0
running=
log=$(mktemp)
# Every job gets a process group of its own, so that an interrupt can end it whole.
set -m
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# check TITLE COMMAND...: runs the command, counts it, and shows its output when it fails.
check() {
  local title=$1 start=$SECONDS
  shift
  # In the background, because a shell that waits hears signals at once.
  "$@" >"$log" 2>&1 </dev/null &
  running=$!
  if wait "$running"; then
    passed=$((passed + 1))
    echo "ok      $title ($((SECONDS - start)) s)"
  else
    failed=$((failed + 1))
    echo "FAILED  $title ($((SECONDS - start)) s)"
    tail -n 40 "$log" | sed 's/^/        /'
    show_container_logs
  fi
  running=
}

# What the containers have said until now: later checks end them.
show_container_logs() {
  docker info >/dev/null 2>&1 || return 0
  "${compose[@]}" logs --no-color --tail 60 2>&1 | sed 's/^/        /'
}

# need TITLE COMMAND...: a check without which the rest makes no sense.
need() {
  local before=$failed
  check "$@"
  if ((failed > before)); then exit 1; fi
}

container_of() {
  docker ps --all --quiet --filter "label=com.docker.compose.project=$COMPOSE_PROJECT_NAME" \
    --filter "label=com.docker.compose.service=$1"
}

end_running_check() {
  if [[ -n $running ]]; then
    kill -TERM -- "-$running" 2>/dev/null
    wait "$running" 2>/dev/null
  fi
}

finish_checks() {
  if (($1 != 0 && failed == 0)); then failed=1; fi
  echo "$passed passed, $failed failed"
  if ((failed > 0)); then exit 1; fi
}
