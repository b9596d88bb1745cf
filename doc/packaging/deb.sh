#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Builds Debian packages from a tarball: deb.sh VERSION TARBALL DIR puts them into DIR.
# As root it installs what is missing of dpkg-dev, debhelper and the build dependencies of doc/packaging/debian/control; else it
# prints the line that does. lintian, if installed, must find nothing.
set -euo pipefail

version=$1 tarball=$(realpath "$2") dir=$3
here=$(dirname "$(realpath "$0")")
if ! command -v dh >/dev/null || ! dpkg-checkbuilddeps "$here/debian/control" 2>/dev/null; then
	line="apt-get update && apt-get install -y --no-install-recommends dpkg-dev debhelper && apt-get build-dep -y --no-install-recommends $here"
	[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || {
		echo "cdict: packages need dpkg-dev, debhelper and more; as root, run:" >&2
		echo "$line" >&2
		exit 1
	}
	echo "  APT      dpkg-dev debhelper, and the build dependencies"
	mkdir -p "$dir"
	DEBIAN_FRONTEND=noninteractive bash -ec "${line//&&/;}" >"$dir/apt.log" 2>&1 </dev/null || {
		tail -n 5 "$dir/apt.log" >&2
		echo "cdict: cannot install what packages need: $line" >&2
		exit 1
	}
	rm "$dir/apt.log"
fi
rm -rf "$dir/work"
mkdir -p "$dir/work"
tar -C "$dir/work" -xf "$tarball"
cd "$dir/work/cdict-$version"
mv doc/packaging/debian debian
maintainer=$(sed -n 's/^Maintainer: //p' debian/control)
cat >debian/changelog <<END
cdict ($version) unstable; urgency=medium

  * See /usr/share/doc/cdict/changelog.gz.

 -- $maintainer  $(LC_ALL=C date -R -u -d "@${SOURCE_DATE_EPOCH:-$(stat -c %Y CHANGES)}")
END
dpkg-buildpackage -b -us -uc >../log 2>&1 || {
	tail -n 30 ../log >&2
	echo "dpkg-buildpackage failed: $dir/work/log" >&2
	exit 1
}
if command -v lintian >/dev/null; then
	lintian --allow-root --fail-on error,warning ../*.changes
fi
cd ..
mv ./*.deb ./*.changes ./*.buildinfo ..
cd ..
rm -rf work
for deb in *"_${version}_"*.deb; do
	[[ $deb == *-dbgsym_* ]] || printf '  %-8s %s\n' DEB "$dir/$deb"
done
