#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 600
# takes: 30
# needs: python3
# Two readers of the same files must agree on every event: libcdict's, and one in Python that was
# written from cdict(5) alone.  On every fixture, converted here, and on files with damage.
set -u
. "$TOP/tests/oracle/_lib.sh"

dump=$BUILD/tests/tools/dumpevents
[ -x "$dump" ] || { echo "not ok dumpevents is not built"; exit 1; }

# The sanitizers look at libcdict only: what Python reads of a file of the same bytes is known.
second() { python3 "$TOP/tests/tools/secondread.py" -a "$1" 2>second.err; }

# agree NAME FILE [EVENTS]: the same lines, at least so many, and both say of damage or neither does.
agree() {
	local first other
	"$dump" -a "$2" >first 2>first.err
	first=$?
	: >second.err
	once "second-$(content_of "$2")" second "$2" >second
	other=$?
	if [ $first -gt 2 ] || [ $first -ne $other ]; then
		fail "$1" < <(echo "status $first and $other"; cat first.err second.err)
	elif ! cmp -s first second; then
		fail "$1" < <(diff first second)
	elif [ -n "${3-}" ] && [ "$(wc -l <first)" -lt "$3" ]; then
		fail "$1" <<<"fewer than $3 events"
	else
		pass "$1"
	fi
}

convert() { # INPUT OUTPUT
	rm -f "$2"
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

while IFS= read -r data; do
	name=$(basename "$data")
	# kvm-zstd has 65,286 events, enough for a sanitizer
	case $BUILD in *san-*) ! is_large "$data" || continue ;; esac
	convert "$data" x.cdict || { echo "not ok $name"; continue; }
	agree "$name" x.cdict 100
done < <(real_captures)
[ -n "$SHARED" ] || skip shared-captures "../shared is not there"

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
