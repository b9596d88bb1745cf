#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Builds RPM packages from a tarball: rpm.sh VERSION TARBALL DIR puts them into DIR.
# If rpm does not know the system's packages (Debian's rpmbuild), the build itself checks the spec's dependencies.
set -euo pipefail

version=$1 tarball=$(realpath "$2") dir=$3
command -v rpmbuild >/dev/null || {
	line="dnf install -y rpm-build"
	command -v dnf >/dev/null || line="apt-get update && apt-get install -y --no-install-recommends rpm"
	[ "$(id -u)" = 0 ] && bash -c "$line" >/dev/null 2>&1 </dev/null || {
		echo "cdict: packages need rpmbuild; as root, run:" >&2
		echo "$line" >&2
		exit 1
	}
}
options=(--define "_topdir $PWD/$dir/work")
rpm -q rpm >/dev/null 2>&1 || options+=(--nodeps)
rm -rf "$dir"
mkdir -p "$dir/work"
rpmbuild -tb "${options[@]}" "$tarball" >"$dir/log" 2>&1 || {
	tail -n 30 "$dir/log" >&2
	echo "rpmbuild failed: $dir/log" >&2
	exit 1
}
mv "$dir"/work/RPMS/*/*.rpm "$dir"
rm -rf "$dir/work"
for rpm in "$dir"/*"-$version-"*.rpm; do
	[[ $rpm == *-debug* ]] || printf '  %-8s %s\n' RPM "$rpm"
done
