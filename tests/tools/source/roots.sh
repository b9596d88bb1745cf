#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Creates root folders of other systems, for tests/live/static.sh and tests/tools/source/test-deb.sh: roots.sh DIR [NAME...]
# Minimal ones by debootstrap (Debian by release name, Ubuntu's noble), and musl: Debian's musl and busybox packages.
# Existing ones are kept.
set -euo pipefail

dir=$1
shift
[ $# -gt 0 ] || set -- musl bullseye bookworm trixie noble
debian=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
ubuntu=${UBUNTU_MIRROR:-http://archive.ubuntu.com/ubuntu}
[ "$(id -u)" = 0 ] || { echo "debootstrap needs root" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "debootstrap is not installed" >&2; exit 1; }
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)

# download PACKAGE - into the current folder, with apt of the root folder bookworm
download() {
	chroot "$dir/bookworm" sh -c "apt-get update -q && cd /tmp && apt-get download -q $1" >&2
	mv "$dir/bookworm/tmp/$1"_*.deb .
}

strap() { # NAME MIRROR OPTIONS...
	local name=$1 mirror=$2 script=
	# Debian 12's debootstrap does not know noble; all of Ubuntu's releases since 2007 have one script.
	[ -e "/usr/share/debootstrap/scripts/$name" ] || script=/usr/share/debootstrap/scripts/gutsy
	debootstrap --variant=minbase --include=ca-certificates "${@:3}" "$name" "$dir/$name.new" "$mirror" \
		${script:+"$script"} >"$dir/$name.log" 2>&1 || {
		tail -n 3 "$dir/$name.log" >&2
		return 1
	}
	mv "$dir/$name.new" "$dir/$name"
}

failed=0
for name; do
	[ ! -d "$dir/$name" ] || continue
	echo "  ROOT     $dir/$name"
	rm -rf --one-file-system "$dir/$name.new"
	case $name in
	musl)
		[ -d "$dir/bookworm" ] || strap bookworm "$debian" || { failed=1; continue; }
		new=$dir/musl.new
		mkdir -p "$new/bin"
		(cd "$new" && download musl && download busybox-static && for deb in ./*.deb; do dpkg-deb -x "$deb" .; done &&
			rm -f ./*.deb && for tool in sh ls cat; do ln -sf busybox "bin/$tool"; done) || { failed=1; continue; }
		mv "$new" "$dir/musl"
		;;
	noble) # Debian 12 has no package of the keys that Ubuntu signs with
		keys=/usr/share/keyrings/ubuntu-archive-keyring.gpg check=--no-check-gpg
		[ ! -e $keys ] || check=--keyring=$keys
		[ -e $keys ] || echo "  its signature is not checked: $keys is missing"
		strap noble "$ubuntu" --components=main,universe $check || failed=1
		;;
	*) strap "$name" "$debian" || failed=1 ;;
	esac
done
exit $failed
