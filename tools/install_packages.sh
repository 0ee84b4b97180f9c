#!/usr/bin/env bash
# Installs the Debian packages of third_party/debian-packages.txt that are missing; silent when none
# is. The arguments are Bazel's: --config=clang adds clang to the set.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

mapfile -t wanted <"$root/third_party/debian-packages.txt"
for argument in "$@"; do
  [ "$argument" != --config=clang ] || wanted+=(clang)
done

if ! command -v dpkg-query >/dev/null; then
  # Not a Debian: whoever has Bazel 4 and the libraries in the same places is welcome.
  command -v bazel >/dev/null && exit 0
  echo "bazelw: this is not a Debian system: it has no dpkg-query, and no bazel on its PATH." >&2
  echo "bazelw: Debian 12 (or a container of it) with these packages is what is needed:" >&2
  echo "  ${wanted[*]}" >&2
  exit 1
fi

installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null |
  sed -n 's/^installed //p') || true
missing=()
for package in "${wanted[@]}"; do
  case $'\n'"$installed"$'\n' in *$'\n'"$package"$'\n'*) ;; *) missing+=("$package") ;; esac
done
[ ${#missing[@]} -gt 0 ] || exit 0

by_hand="apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
give_up() {
  echo "bazelw: $1" >&2
  echo "bazelw: to install the missing Debian packages, run as root:" >&2
  echo "  $by_hand" >&2
  exit 1
}

command -v apt-get >/dev/null || give_up "there is no apt-get here."
as_root=(env)
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || give_up "this user is not root, and there is no sudo."
  if [ -t 0 ]; then as_root=(sudo); else as_root=(sudo -n); fi
  "${as_root[@]}" true 2>/dev/null || give_up "this user is not root, and may not use sudo."
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "bazelw: installing ${missing[*]}" >&2
if ! {
  "${as_root[@]}" apt-get update -q &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -q -o DPkg::Lock::Timeout=300 --no-install-recommends "${missing[@]}"
} >"$log" 2>&1 </dev/null; then
  tail -n 20 "$log" >&2
  give_up "apt-get could not install them; the end of what it said is above."
fi
