#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Builds libperf (and libapi, which it calls) from Debian's kernel source:
#   libperf.sh DEST [CROSS-]     headers to DEST/include/perf, archives to DEST/lib; by the compiler CROSS-gcc
# Unpacks only the few megabytes of tools/ that it needs, outside the tree: the
# kernel's makefiles do not work in a path with spaces, and a failed build leaves
# nothing behind.  DEST appears whole or not at all.  Needs no network.
set -euo pipefail

dest=$1 cross=${2-}
# the kernel's name of the architecture
case $cross in
'') arch= ;;
aarch64-*) arch=ARCH=arm64 ;;
s390x-*) arch=ARCH=s390 ;;
i?86-* | x86_64-*) arch=ARCH=x86 ;;
*) arch=ARCH=${cross%%-*} ;;
esac

# The newest installed source.
source=
for tar in $(printf '%s\n' /usr/src/linux-source-*.tar.{xz,bz2} | sort -V); do
	[ -r "$tar" ] && source=$tar
done
if [ -z "$source" ]; then
	echo "cdict needs libperf: neither pkg-config nor /usr/src/linux-source-*.tar.xz or .bz2" \
		"has it; 'make setup' installs Debian's linux-source" >&2
	exit 1
fi

printf '  %-8s %s\n' LIBPERF "$source"
tmp=$(mktemp -d "/tmp/cdict-libperf.XXXXXX")
trap 'rm -rf "$tmp"' EXIT

top=$(basename "${source%.tar.*}")
if ! tar -C "$tmp" --strip-components=1 --wildcards --exclude="$top/tools/lib/bpf/*" \
	-xf "$source" "$top/tools/lib/*" "$top/tools/build/*" "$top/tools/include/*" \
	"$top/tools/scripts/*" "$top/tools/arch/*/include/*"; then
	echo "cdict needs libperf: $source cannot be unpacked" >&2
	exit 1
fi

# A clean environment: flags of our make (CC, O, V, SAN, -j's pipe) must not reach the kernel's.
# -w: a new warning of a newer compiler must not stop the build.
if ! env -i PATH="$PATH" HOME="$tmp" LC_ALL=C make -C "$tmp/tools/lib/perf" -j2 \
	${cross:+CROSS_COMPILE="$cross" "$arch"} EXTRA_CFLAGS='-O2 -w' >"$tmp/log" 2>&1; then
	cat "$tmp/log" >&2
	echo "cdict needs libperf: building it from $source failed, see above" >&2
	exit 1
fi

mkdir -p "$(dirname "$dest")"
new=$(mktemp -d "$dest.XXXXXX")
trap 'rm -rf "$tmp" "$new"' EXIT
chmod 755 "$new"
mkdir -p "$new/include/perf" "$new/lib"
cp "$tmp"/tools/lib/perf/include/perf/*.h "$new/include/perf/"
cp "$tmp/tools/lib/perf/libperf.a" "$tmp/tools/lib/api/libapi.a" "$new/lib/"
rm -rf "$dest"
mv -T "$new" "$dest"
