#!/bin/sh
# usage: rootfs.sh BINARY OUT VERSION     (in a build stage, in the folder that contains LICENSE)
# Creates OUT/tree, the root file system of a minimal image: BINARY, the shared libraries that it
# loads, the licence texts, and the list of these files (SPDX 2.3). OUT/packages lists the Debian
# packages of the libraries. OUT/owned contains the data folder of the daemon.
set -eu
binary=$1 out=$2 version=$3
name=$(basename "$binary")
root=$out/tree
doc=$root/usr/share/doc

mkdir -p "$root/usr/local/bin" "$doc/$name" "$out/owned/data"
chmod 700 "$out/owned/data"
cp "$binary" "$root/usr/local/bin/"
cp LICENSE "$doc/$name/copyright"
libraries=$(ldd "$binary" | grep -o '/[^ ]*' | sort -u)
for library in $libraries; do cp -L --parents "$library" "$root"; done

# The loader may report a path below /usr for a file that its package lists below /, or the reverse.
# Therefore the package is searched by the name of the file.
package_of() { dpkg-query -S "*/$(basename "$(readlink -f "$1")")" | sed -n '1s/:.*//p'; }
for library in $libraries; do package_of "$library"; done | sort -u > "$out/packages"

# Copies the copyright file of each package, and the common licences that these files name.
while read -r package; do
  mkdir -p "$doc/$package"
  cp -L "/usr/share/doc/$package/copyright" "$doc/$package/copyright"
done < "$out/packages"
cat "$doc"/*/copyright | grep -oE '/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]' | while read -r text; do
  [ ! -e "$text" ] || printf '%s\n' "$text" "$(readlink -f "$text")"
done | sort -u | xargs -I{} cp -P --parents {} "$root"

# The copyright file of a Debian package is not an SPDX expression. Therefore the licence is
# NOASSERTION, with the path of that file as a comment.
list_package() {
  installed=$(dpkg-query -W -f '${Version}' "$1")
  cat <<EOF
,
    {"SPDXID": "SPDXRef-$1", "name": "$1", "versionInfo": "$installed", "supplier": "Organization: Debian",
     "sourceInfo": "built from $(dpkg-query -W -f '${source:Package} ${source:Version}' "$1")",
     "downloadLocation": "NOASSERTION", "filesAnalyzed": false, "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION",
     "licenseComments": "/usr/share/doc/$1/copyright", "copyrightText": "NOASSERTION",
     "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator":
       "pkg:deb/debian/$1@$(echo "$installed" | sed 's/:/%3A/g; s/+/%2B/g; s/~/%7E/g')?arch=$(dpkg --print-architecture)"}]}
EOF
}

list_file() { # number, path in the image
  [ "$1" = 0 ] || echo ","
  cat <<EOF
    {"SPDXID": "SPDXRef-File-$1", "fileName": ".$2", "licenseConcluded": "NOASSERTION", "copyrightText": "NOASSERTION",
     "checksums": [{"algorithm": "SHA1", "checksumValue": "$(sha1sum < "$root$2" | cut -d' ' -f1)"},
                   {"algorithm": "SHA256", "checksumValue": "$(sha256sum < "$root$2" | cut -d' ' -f1)"}]}
EOF
}

relate() { printf ',\n    {"spdxElementId": "%s", "relationshipType": "%s", "relatedSpdxElement": "%s"}' "$1" "$2" "$3"; }

{
  cat <<EOF
{
  "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": "$name-$version",
  "documentNamespace": "urn:sha256:$(sha256sum < "$binary" | cut -d' ' -f1)",
  "creationInfo": {"created": "$(date -u +%Y-%m-%dT%H:%M:%SZ)", "creators": ["Tool: docker/rootfs.sh"]},
  "packages": [
    {"SPDXID": "SPDXRef-$name", "name": "$name", "versionInfo": "$version", "downloadLocation": "NOASSERTION", "filesAnalyzed": false,
     "licenseConcluded": "MIT", "licenseDeclared": "MIT", "copyrightText": "$(grep -m1 '^Copyright' LICENSE)"}
EOF
  while read -r package; do list_package "$package"; done < "$out/packages"
  echo '  ],'
  echo '  "files": ['
  list_file 0 "/usr/local/bin/$name"
  n=0
  for library in $libraries; do n=$((n + 1)); list_file $n "$library"; done
  echo '  ],'
  echo '  "relationships": ['
  printf '    {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-%s"}' "$name"
  relate "SPDXRef-$name" CONTAINS SPDXRef-File-0
  n=0
  for library in $libraries; do n=$((n + 1)); relate "SPDXRef-$(package_of "$library")" CONTAINS "SPDXRef-File-$n"; done
  while read -r package; do relate "SPDXRef-$name" DEPENDS_ON "SPDXRef-$package"; done < "$out/packages"
  printf '\n  ]\n}\n'
} > "$doc/$name/spdx.json"
