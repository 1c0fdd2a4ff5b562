#!/bin/sh
# Installs the Debian packages named as arguments that are missing. Needs root or sudo only when something is missing.
set -eu
installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "$@" 2>/dev/null | sed -n 's/ installed$//p' || true)
missing=""
for package in "$@"; do
  printf '%s\n' "$installed" | grep -qxF "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
as_root=""
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "these packages are missing, and installing them needs root or sudo:$missing" >&2; exit 1; }
  as_root="sudo"
fi
echo "installing:$missing" >&2
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq >&2
# shellcheck disable=SC2086
$as_root apt-get install -y -qq --no-install-recommends $missing >&2
