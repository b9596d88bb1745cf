#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 600
# Two readers of the same files must agree on every event: libcdict's, and one in JavaScript that
# was written from cdict(5) alone.  On every fixture, converted here, and on files with damage.
set -u

second=$TOP/tests/tools/secondread.mjs
dump=$BUILD/tests/tools/dumpevents
node=$(command -v node || command -v nodejs || :)
[ -n "$node" ] || { echo "node is not installed" >&2; exit 77; }
[ -x "$dump" ] || { echo "not ok dumpevents is not built"; exit 1; }

# agree NAME FILE: the same lines, and both say of damage or neither does.
agree() {
	"$dump" -a "$2" >first 2>first.err
	local first=$?
	"$node" "$second" -a "$2" >second 2>second.err
	local other=$?
	if [ $first -gt 2 ] || [ $first -ne $other ]; then
		echo "not ok $1"
		echo "status $first and $other"
		cat first.err second.err
	elif ! cmp -s first second; then
		echo "not ok $1"
		diff first second | head -n 6
	elif [ -n "${3-}" ] && [ "$(wc -l <first)" -lt "$3" ]; then
		echo "not ok $1"
		echo "fewer than $3 events"
	else
		echo "ok $1"
	fi
}

convert() { # INPUT OUTPUT
	"$CDICT" convert -q -e '*:*' -i "$1" -o "$2" 2>convert.err
	local status=$?
	[ $status -eq 0 ] || [ $status -eq 2 ] || { cat convert.err; return 1; }
}

for trace in "$DATA"/*.trace; do
	name=$(basename "$trace" .trace)
	for form in "" --big-endian; do
		"$MKPERF" $form -o x.data "$trace" 2>mkperf.err && convert x.data x.cdict ||
			{ echo "not ok $name${form#-}"; cat mkperf.err; continue; }
		agree "$name${form#-}" x.cdict
	done
done

for data in "$DATA"/*.data; do
	name=$(basename "$data")
	convert "$data" x.cdict || { echo "not ok $name"; continue; }
	agree "$name" x.cdict 100
done

if [ -n "${SHARED-}" ]; then
	for data in "$SHARED"/captures/*/*.data "$SHARED"/captures/*/*/*.data; do
		# Those in tests/data have had their turn.
		[ -f "$data" ] && ! [ -f "$DATA/$(basename "$data")" ] || continue
		name=${data#"$SHARED"/captures/}
		# As the other tests say: some are no perf.data of today.
		convert "$data" x.cdict >/dev/null || { echo "skip $name is not converted"; continue; }
		agree "$name" x.cdict
	done
else
	echo "skip shared-captures ../shared is not there"
fi

# Damage: a byte of every thousand changed, and cuts.
convert "$DATA/kvm-zstd.data" whole.cdict
size=$(stat -c %s whole.cdict)
for at in 20 "$((size / 5))" "$((size / 3))" "$((size / 2))" "$((size * 4 / 5))" "$((size - 3))"; do
	cp whole.cdict x.cdict
	byte=$(od -An -tu1 -j "$at" -N 1 x.cdict)
	printf "\\$(printf %o "$(((byte + 1) % 256))")" |
		dd of=x.cdict bs=1 seek="$at" conv=notrunc 2>/dev/null
	agree "changed-at-$at" x.cdict
	head -c "$at" whole.cdict >x.cdict
	agree "cut-at-$at" x.cdict
done
