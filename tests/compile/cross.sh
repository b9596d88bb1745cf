#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 900
# Programs built for other architectures, run by qemu-user, write the same bytes as this machine's program, and read its files.
set -u
cd "$(dirname "$0")/../.." || exit 1

# why_not TARGET - prints what it lacks to build and run
why_not() {
	local compiler=${1/#i386/i686}-gcc run=qemu-${1%%-*}-static package
	[ "$1" != i386-linux-gnu ] || run=
	for program in "$compiler" $run; do
		command -v "$program" >/dev/null || { echo "$program is not installed"; return; }
	done
	for package in zlib libtraceevent libzstd libpcre2-8 yaml-0.1 expat libcurl cairo jansson sqlite3; do
		PKG_CONFIG_LIBDIR=/usr/lib/$1/pkgconfig:/usr/share/pkgconfig pkg-config --exists $package 2>/dev/null ||
			{ echo "$package is not installed for ${1%%-*}"; return; }
	done
	[ ! -z "$run" ] || build_runs "$compiler" || echo "this kernel runs no programs of ${1%%-*}"
}
build_runs() {
	echo 'int main(void) { return 0; }' | "$1" -x c -o "$dir/probe" - 2>/dev/null && "$dir/probe"
}

# The same of a program for $1, which $2 runs.
same_bytes() {
	local cross=build/$1/cdict run=$2 input n=0
	for input in tests/data/*.data "$dir"/made/*.data; do
		"$CDICT" convert -q -i "$input" -o "$dir/native.cdict" 2>"$dir/native.err"
		$run "$cross" convert -q -i "$input" -o "$dir/cross.cdict" 2>"$dir/cross.err"
		cmp "$dir/native.cdict" "$dir/cross.cdict" || echo "of $input it writes something else"
		diff "$dir/native.err" "$dir/cross.err" || echo "and says something else"
		rm -f "$dir"/*.cdict
		n=$((n + 1))
	done
	for input in tests/oracle/format/*.cdict; do
		"$CDICT" script -q --max-loss 100 "$input" >"$dir/native.txt" 2>&1
		$run "$cross" script -q --max-loss 100 "$input" 2>&1 | cmp - "$dir/native.txt" || echo "of $input script prints something else"
		n=$((n + 1))
	done
	[ $n -ge 60 ] || echo "only $n files were compared"
}

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/made"
for trace in tests/data/*.trace; do
	name=$(basename "$trace" .trace)
	"$MKPERF" --formats tests/data/formats -o "$dir/made/$name.data" "$trace"
	"$MKPERF" --formats tests/data/formats --big-endian -o "$dir/made/$name-big.data" "$trace"
done
for target in s390x-linux-gnu aarch64-linux-gnu i386-linux-gnu; do
	name=a_program_for_${target%%-*}_writes_the_same_bytes
	why=$(why_not $target)
	if [ -n "$why" ]; then
		echo "skip $name $why"
		continue
	fi
	run=
	[ $target = i386-linux-gnu ] || run=qemu-${target%%-*}-static
	if ! make -j"${JOBS:-2}" CROSS=$target WERROR=1 SAN= all >"$dir/make.log" 2>&1; then
		echo "not ok $name"
		tail -n 20 "$dir/make.log"
	elif differences=$(same_bytes $target "$run" 2>&1) && [ -z "$differences" ]; then
		echo "ok $name"
	else
		echo "not ok $name"
		echo "$differences"
	fi
done
