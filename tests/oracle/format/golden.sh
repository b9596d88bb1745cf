#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# needs: python3
# Files of every released format version still give the same output: see README.md in this folder.
set -u
here=$TOP/tests/oracle/format
dump=$BUILD/tests/tools/check/dumpevents

compare() { # NAME WANTED GOT: a line for the test, and the difference
	if cmp -s "$2" "$3"; then
		echo "ok $1"
	else
		echo "not ok $1"
		diff "$2" "$3" | head -n 6
	fi
}

for file in "$here"/v*.cdict; do
	name=$(basename "$file" .cdict)
	[ -s "${file%.cdict}.txt" ] || { echo "not ok $name has its lines next to it"; continue; }
	"$dump" -a "$file" >lines 2>err
	status=$?
	[ $status -eq 0 ] || { echo "not ok $name is whole"; cat err; continue; }
	compare "$name" "${file%.cdict}.txt" lines
	python3 "$TOP/tests/tools/check/secondread.py" -a "$file" >lines
	compare "$name-second-reader" "${file%.cdict}.txt" lines
done

# The example of cdict(5) is v1.0-example.cdict, byte for byte.
sed -n '/^\.\\" example$/,/^\.\\" end of example$/p' "$TOP/doc/cdict.5" |
	sed -n 's/^\([0-9a-f]\{4\}\)  *\(\([0-9a-f][0-9a-f] \)*[0-9a-f][0-9a-f]\).*/\1 \2/p' |
	while read -r at bytes; do
		set -- $bytes
		got=$(od -An -tx1 -v -j "$((16#$at))" -N $# "$here/v1.0-example.cdict" | tr -s ' \n' ' ')
		[ "$got" = " $bytes " ] || [ "$got" = " $bytes" ] || echo "at $at: $bytes is$got"
	done >wrong
count=$(sed -n '/^\.\\" example$/,/^\.\\" end of example$/p' "$TOP/doc/cdict.5" | grep -c '^[0-9a-f]\{4\}  ')
if [ ! -s wrong ] && [ "$count" -gt 20 ]; then
	echo "ok the example of cdict(5) is a real file"
else
	echo "not ok the example of cdict(5) is a real file"
	echo "$count lines"
	cat wrong
fi
