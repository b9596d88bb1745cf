#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Packs the sources into a tarball that builds without git: dist.sh VERSION OUT.tar.xz
# In a checkout: the files tracked by git, as in the work tree; in an unpacked tarball: everything except build/.
set -euo pipefail

version=$1 out=$2
files() {
	if git rev-parse --show-cdup >/dev/null 2>&1; then
		git ls-files -z
	else
		find . -type f -not -path "./build/*" -not -path ./cdict.spec -printf '%P\0' | sort -z
	fi
}
date=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGES)}
mkdir -p "$(dirname "$out")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
files | tar --null --no-recursion -T - --sort=name --mtime="@$date" --owner=0 --group=0 --numeric-owner \
	--transform="s,^,cdict-$version/,S" -cf "$tmp/tar"
# rpmbuild -t takes the file of that name from the tarball
mkdir "$tmp/cdict-$version"
sed "s/@version@/$version/" doc/packaging/cdict.spec.in >"$tmp/cdict-$version/cdict.spec"
tar -C "$tmp" --mtime="@$date" --owner=0 --group=0 --numeric-owner -rf "$tmp/tar" "cdict-$version/cdict.spec"
xz -T1 -c "$tmp/tar" >"$out"
printf '  %-8s %s\n' DIST "$out"
