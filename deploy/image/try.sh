#!/usr/bin/env bash
# Tries the image for real, with Podman: npm run try:image
#
# It builds a Debian base with mmdebstrap and the image with Buildah, so it needs no registry of images. Then it runs the
# service under the filter of system calls that Docker has for containers without capabilities, and under our own: what
# holds of the containment, whether a kill loses a payload, and whether hostile programs stay inside.
#
# IMAGE=tickwright:2.1.0        try this image instead of building one
# BASE=debian:trixie-slim       use this base instead of making one
# CA=FILE                       certificates of a network that reads what goes through it; the base trusts them, too
# BUILD_OPTIONS, RUN_OPTIONS    more options for buildah and podman, such as --runtime runc
#
# A machine with the hybrid form of cgroups, which crun refuses, gets version 2 alone, in a mount namespace of the trial.
# Where crun may then not use it, run the trial with
#   RUN_OPTIONS='--cgroups=disabled --ulimit nofile=20000:20000 --ulimit nproc=4096:4096'
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

if [ -d /sys/fs/cgroup/unified ] && [ -z "${OWN_MOUNTS:-}" ]; then
  OWN_MOUNTS=1 exec unshare --mount sh -c 'umount --recursive /sys/fs/cgroup && mount -t cgroup2 none /sys/fs/cgroup && exec "$@"' \
    sh deploy/image/try.sh
fi

image=${IMAGE:-localhost/tickwright:try}
most_mb=400
port=${PORT:-3099}
address=http://127.0.0.1:$port
read -ra build_options <<< "${BUILD_OPTIONS:-}"
read -ra run_options <<< "${RUN_OPTIONS:-}"
work=$(mktemp -d)
container=tickwright-try
# Neither the container nor its volume outlives the trial. A trial that was killed leaves them.
clear_away() {
  podman rm --force --time 0 "$container" > /dev/null 2>&1 || true
  podman volume rm --force "$container" > /dev/null 2>&1 || true
}
trap 'clear_away; rm -rf "$work"' EXIT
clear_away

step() { printf '\n=== %s\n' "$*"; }
fail() {
  printf '=== FAILED: %s\n' "$*" >&2
  podman logs --tail 20 "$container" >&2 2> /dev/null || true
  exit 1
}

# Without the manuals and translations that Docker's slim images lack, too.
make_base() {
  local exclude=() path
  for path in doc man locale info; do exclude+=("--dpkgopt=path-exclude=/usr/share/$path/*"); done
  mmdebstrap --quiet --variant=minbase "${exclude[@]}" trixie "$work/base.tar"
  podman import --quiet "$work/base.tar" localhost/debian:try > /dev/null
  BASE=localhost/debian:try
}

# Our filter without our rules is the one of Docker.
node -e '
  const { readFileSync, writeFileSync } = require("node:fs")
  const ours = JSON.parse(readFileSync("deploy/seccomp.json", "utf8"))
  const syscalls = ours.syscalls.filter(({ comment = "" }) => !comment.startsWith("Tickwright"))
  writeFileSync(process.argv[1], JSON.stringify({ ...ours, syscalls }))
' "$work/docker.json"

run() { # run PROFILE OPTIONS… : the options that docs/install.md has, on the network of this machine
  podman run "${run_options[@]}" --network host --read-only --tmpfs /tmp --cap-drop all \
    --security-opt no-new-privileges --security-opt "seccomp=$1" "${@:2}"
}

refused() { # refused PROFILE OPTIONS… : what a service says that does not start
  ! run "$1" --rm "${@:2}" 2>&1
}

start() { # start PROFILE
  run "$1" --detach --name "$container" --volume "$container:/data" \
    --env HOST=127.0.0.1 --env "PORT=$port" --env MARKET=sim "$image" > /dev/null
  until_ready
}

until_ready() {
  local tries
  for ((tries = 0; tries < 240; tries++)); do
    curl --silent --fail --output /dev/null "$address/health/ready" && return
    [ "$(podman inspect --format '{{.State.Running}}' "$container")" = true ] || fail 'the service has ended'
    sleep 0.5
  done
  fail 'the service does not become ready'
}

fact() { curl --silent "$address/health/ready" | node -pe "JSON.parse(require('node:fs').readFileSync(0)).parts.worker.$1"; }
within() { podman exec "$container" "$@"; }

payload() { # payload PRICE : the id of the delivery that the webhook acknowledges
  curl --silent --fail --data "{\"price\": $1}" -H 'content-type: application/json' "$hook" \
    | node -pe 'JSON.parse(require("node:fs").readFileSync(0)).id'
}

key() { podman logs "$container" 2>&1 | sed -n "s/^ *API $1 *//p" | head -1; }

until_run() { # until_run DELIVERY
  local tries
  for ((tries = 0; tries < 60; tries++)); do
    podman exec --env "TICKWRIGHT_URL=$address" --env "TICKWRIGHT_API_KEY=$(key key)" --env "TICKWRIGHT_API_SECRET=$(key secret)" \
      "$container" tickwright runs --json | grep "\"delivery_id\":$1," > /dev/null && return
    sleep 1
  done
  fail "the payload of delivery $1 is gone after a kill"
}

if [ -z "${BASE:-}${IMAGE:-}" ]; then
  step 'Base image'
  make_base
fi
if [ -n "${CA:-}" ] && [ -z "${IMAGE:-}" ]; then
  trusting=$(buildah from "$BASE")
  buildah copy --quiet "$trusting" "$CA" /usr/local/share/ca-certificates/trial.crt > /dev/null
  BASE=localhost/debian:trial
  buildah commit --quiet --rm "$trusting" "$BASE" > /dev/null
fi
step 'Image'
[ -n "${IMAGE:-}" ] || buildah bud "${build_options[@]}" --format docker --build-arg "BASE=$BASE" --file deploy/Containerfile \
  --tag "$image" . > "$work/build.log" 2>&1 || { tail -40 "$work/build.log"; fail 'the image cannot be built'; }
size=$(podman run "${run_options[@]}" --rm --network none --entrypoint du --user 0 "$image" -smx / | cut -f1)
printf '%s MB unpacked; at most %s are allowed.\n' "$size" "$most_mb"
((size <= most_mb)) || fail 'the image is too large'

for profile in "$work/docker.json" deploy/seccomp.json; do
  step "The service under $(basename "$profile")"
  start "$profile"
  printf 'containment %s: %s\nmissing: %s\n' "$(fact containment)" "$(fact 'containmentLayers.join(" ")')" \
    "$(fact 'containmentMissing.join(" ")')"
  if [ "$profile" = deploy/seccomp.json ]; then
    [ "$(fact containment)" = full ] || fail 'a layer is missing'
  fi
  podman logs "$container" 2>&1 | grep -o '"remedy":"[^"]*"' || true
  [ "$(within id -u)" = 10001 ] || fail 'another user runs it'
  within grep -E '^(CapEff|NoNewPrivs|Seccomp):' /proc/self/status
  within sh -c '! touch /opt/tickwright/x 2> /dev/null && ! touch /etc/x 2> /dev/null && touch /data/x' || fail 'the wrong places can be written to'
  within test -f docs/operations.md || fail 'the tools for agents have nothing to read'
  curl --silent --fail "$address/" | grep '<script' > /dev/null || fail 'it has no dashboard'
  podman healthcheck run "$container" || fail 'the health check fails'

  # A payload that was acknowledged is there after a kill, and runs. The example of the first start has a webhook.
  hook=$(podman logs "$container" 2>&1 | grep -o "$address/data-webhook/[A-Za-z0-9_-]*" | head -1)
  delivery=$(payload 100) || fail 'no payload is taken'
  podman kill --signal KILL "$container" > /dev/null
  podman start "$container" > /dev/null
  until_ready
  until_run "$delivery"
  payload 90 > /dev/null || fail 'the webhook is gone after a kill'
  within tickwright doctor | grep -vE '^(ok|note)' || true
  podman stop --time 30 "$container" > /dev/null
  [ "$(podman inspect --format '{{.State.ExitCode}}' "$container")" = 0 ] || fail 'the service does not drain'
  podman rm "$container" > /dev/null
  podman volume rm "$container" > /dev/null
done

step 'A folder of the host that belongs to root'
mkdir -m 700 "$work/data"
refused deploy/seccomp.json --volume "$work/data:/data" "$image" | grep 'chown -R 10001 /data' || fail 'the error names no remedy'

step 'With CONTAINMENT=full under the filter of Docker'
refused "$work/docker.json" --env CONTAINMENT=full --env MARKET=sim "$image" \
  | grep 'CONTAINMENT=full demands all of it' || fail 'it starts'

step 'Hostile programs, and the native program that tries to escape, in the image'
# The tests and what only they need come from this clone.
run deploy/seccomp.json --rm --volume "$PWD:/clone:ro" --workdir /clone --entrypoint node --env TMPDIR=/tmp "$image" \
  --test --test-reporter=spec packages/sandbox/src/hostile.test.ts packages/sandbox/src/containment.test.ts \
  packages/sandbox/test/attacks/*.test.ts packages/sandbox/test/escape/*.test.ts > "$work/hostile.log" 2>&1 \
  || { grep -B2 -A20 'not ok\|✖' "$work/hostile.log" | tail -60; fail 'something got out'; }
tail -9 "$work/hostile.log"
step 'All of it holds'
