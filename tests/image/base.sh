#!/bin/sh
# usage: base.sh OUT.tar
# A Debian 12 that stands in for debian:bookworm-slim where no image can be pulled; for tests, never to be published. Where the machine is
# a Debian 12 itself, its apt sources and the settings in 99* become the image's, so that a build in it finds the same mirror.
set -eu
out=$1
# Without a pin, mmdebstrap takes usrmerge and with it all of perl; the hook has merged /usr already.
pin='mkdir -p "$1/etc/apt/preferences.d"
     printf "Package: usrmerge\nPin: release *\nPin-Priority: -1\n" > "$1/etc/apt/preferences.d/no-usrmerge"'
finish='rm "$1/etc/apt/preferences.d/no-usrmerge"
        printf "#!/bin/sh\nexit 101\n" > "$1/usr/sbin/policy-rc.d"
        chmod 755 "$1/usr/sbin/policy-rc.d"'
set -- --quiet --variant=minbase --mode=root --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr \
  --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' --setup-hook="$pin"
sources=""
if grep -q '^VERSION_CODENAME=bookworm' /etc/os-release; then
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources; do [ ! -s "$file" ] || sources=$file; done
  finish="$finish"'
    for file in /etc/apt/apt.conf.d/99*; do [ ! -f "$file" ] || cp "$file" "$1/etc/apt/apt.conf.d/"; done'
fi
# shellcheck disable=SC2086
exec mmdebstrap "$@" --customize-hook="$finish" bookworm "$out" $sources
