#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 1800
# takes: 60
# The page's own decoder and figures (render/web/decode, render/web/analysis) under node: every event
# as libcdict reads it, by count and by a check sum over all fields; every table as the commands print
# it, for the whole window and for random ranges; damaged files do no harm.  In a browser:
# decoder-browser.sh.
set -u
. "$TOP/tests/page/_lib.sh"

tools=$TOP/tests/tools
dump=$BUILD/tests/tools/dumpevents
node=$(command -v node || command -v nodejs || :)
[ -n "$node" ] || { echo "node is not installed" >&2; exit 77; }
"$node" -e 'new DecompressionStream("deflate-raw")' 2>/dev/null ||
	{ echo "this node is too old: it has no DecompressionStream of deflate-raw" >&2; exit 77; }
[ -x "$dump" ] || { echo "not ok dumpevents is not built"; exit 1; }

# sum_of FILE: number and CRC-32 of the lines of all events, as the page's checksum() gives them.
sum_of() {
	"$dump" "$1" 2>/dev/null >lines
	local n crc
	n=$(wc -l <lines)
	# gzip ends in the CRC-32 and the length
	crc=$(gzip -1 <lines | tail -c 8 | od -An -tx4 -N4 --endian=little)
	echo "$n ${crc# }"
}

check() { # NAME FILE RANGES
	local want got
	want=$(sum_of "$2")
	got=$("$node" "$tools/secondread.mjs" -c -d "$2" 2>read.err)
	if [ $? -gt 2 ] || [ "$got" != "$want" ]; then
		echo "not ok $1-events"
		echo "the page reads $got, libcdict $want"
		cat read.err
	else
		echo "ok $1-events"
	fi
	if "$node" "$tools/pagefigures.mjs" "$CDICT" "$2" "$3" >figures.out 2>&1; then
		echo "ok $1-figures"
	else
		echo "not ok $1-figures"
		cat figures.out
	fi
}

convert() { # INPUT OUTPUT
	"$CDICT" convert -q -e '*:*' -i "$1" -o "$2" 2>convert.err
	local status=$?
	[ $status -eq 0 ] || [ $status -eq 2 ]
}

for trace in "$DATA"/*.trace; do
	name=$(basename "$trace" .trace)
	"$MKPERF" -o x.data "$trace" 2>convert.err && convert x.data x.cdict ||
		{ echo "not ok $name"; cat convert.err; continue; }
	check "$name" x.cdict 10
done

while IFS= read -r data; do
	name=$(basename "$data")
	convert "$data" x.cdict || { echo "not ok $name"; cat convert.err; continue; }
	ranges=20
	! is_large "$data" || ranges=5
	check "$name" x.cdict $ranges
done < <(real_captures)
[ -n "$SHARED" ] || skip shared-captures "../shared is not there"

# What the check compares is what `cdict script` prints a line for.
convert "$DATA/kvm-small.data" x.cdict
lines=$("$CDICT" script x.cdict | wc -l)
if [ "$lines" = "$(sum_of x.cdict | cut -d' ' -f1)" ]; then
	echo "ok as-many-events-as-cdict-script-prints"
else
	echo "not ok as-many-events-as-cdict-script-prints"
fi

# the smallest is cut at every byte, the others at every third
for file in example vmx loss; do
	step=3
	[ $file != example ] || step=1
	if "$node" "$tools/pagehostile.mjs" "$dump" "$TOP/tests/golden/v1.0-$file.cdict" 200 $step >hostile.out 2>&1; then
		echo "ok damaged-$file-does-no-harm"
	else
		echo "not ok damaged-$file-does-no-harm"
		cat hostile.out
	fi
done
