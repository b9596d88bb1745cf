#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 300
# needs: python3
# Tables of windows are the same with the state before the window from the file (DGST blocks) and without,
# when the whole file is walked.  These blocks take at most 2 % of the file.
set -u
. "$TOP/tests/oracle/_lib.sh"

# hide_digests FILE OUT: their type is unknown to every reader; prints how many bytes they are.
hide_digests() {
	python3 - "$1" "$2" <<'END'
import struct, sys, zlib
d = bytearray(open(sys.argv[1], 'rb').read())
at, n = 16, 0
while d[at:at + 4] == b'\xdc\x0c\xb1\x1e':
    size = struct.unpack_from('<I', d, at + 8)[0] + 24
    if d[at + 4:at + 8] == b'DGST':
        n += size
        d[at + 4:at + 8] = b'XGST'
        struct.pack_into('<I', d, at + 20, zlib.crc32(d[at:at + 20]))
    at += size
open(sys.argv[2], 'wb').write(d)
print(n)
END
}

# Where the shared captures are not there: one of this machine.
record() {
	perf record -q -m 8M -e 'sched:*' -a -o own.data -- perf bench sched pipe -l 60000 >/dev/null 2>perf.err && echo own.data
}

mkdir -p with without
some=
compare() {
	local data=$1 name bytes size wrong table at d
	name=$(basename "$data" .data)
	rm -f with/x.cdict
	"$CDICT" convert -q -i "$data" -o with/x.cdict 2>convert.err </dev/null
	[ -s with/x.cdict ] || { fail "$name" <convert.err; return; }
	bytes=$(hide_digests with/x.cdict without/x.cdict)
	[ "$bytes" -gt 0 ] || return
	some=1
	size=$(stat -c %s with/x.cdict)
	verdict "$name-takes-two-percent-at-most" "$([ $((bytes * 50)) -le "$size" ] || echo "$bytes of $size")"
	wrong=
	for table in 'tasks -v' 'vcpu --format json' exits 'tasks --format json' switches; do
		for at in 3 17 42 58 71 96; do
			# shellcheck disable=SC2086
			for d in with without; do
				(cd $d && "$CDICT" $table --time $at.3%-$at.9% x.cdict) >$d.out 2>&1
			done
			cmp -s with.out without.out || wrong+="$table at $at %"$'\n'"$(diff with.out without.out | head -4)"$'\n'
		done
	done
	verdict "$name-windows" "$wrong"
}
while IFS= read -r data; do
	compare "$data"
done < <(real_captures all)
[ -n "$some" ] || ! have_perf || { data=$(record) && compare "$data"; }
[ -n "$some" ] || skip windows "no capture is large enough, and none can be recorded: $(tail -n 1 perf.err 2>/dev/null)"
