#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# needs: python3
# Guests that do not belong to the host's recording, or whose clock is no line: each is refused with the reason, and nothing is written.
set -u
. "$TOP/tests/oracle/_lib.sh"
cd "$(mktemp -d)" || exit 1

made() { "$MKPERF" --formats "$DATA/formats" -o made.data "$1.trace" && "$CDICT" convert -q -i made.data -o "$1.cdict"; }
cat >change.py <<'END_OF_CHANGE'
import re, sys
begin, by = map(int, sys.argv[1:])
for line in sys.stdin:
    m = re.match(r"( *\d+ \[\d+\] )(\d+)\.(\d{9})(:.*)", line)
    if m:
        t = int(m[2] + m[3])
        t += by if t >= begin else 0
        line = "%s%d.%09d%s\n" % (m[1], t // 10**9, t % 10**9, m[4])
    sys.stdout.write(line)
END_OF_CHANGE
# changed NAME FROM_NS NS: web's recording, with times from FROM_NS on later by NS
changed() { python3 change.py "$2" "$3" <web.trace >"$1.trace" && made "$1"; }
# refused NAME TEXT GUEST...: the join fails with a line that has TEXT
refused() {
	"$CDICT" join "${host:-host.cdict}" "${@:3}" -o no.cdict 2>err
	verdict "$1" "$({
		[ $? -ne 2 ] && [ ! -e no.cdict ] || echo "no.cdict was written"
		grep -q "$2" err && [ "$(wc -l <err)" = 1 ] || cat err
	} 2>&1)"
	rm -f no.cdict
}
python3 "$TOP/tests/tools/make/mkguests.py" --seconds 0.3 --drift 0 --offset 1000000000 . && made host && made web || exit 1

changed stepped 79150000000 10000000
refused a_clock_that_steps_by_10_ms_midway_is_refused 'no line fits .* misses the next one by [0-9.]* ms' 1000=stepped.cdict
changed rebooted 79150000000 -78000000000
refused a_clock_that_begins_again_midway_is_refused 'no clock joins it with the host.s recording: .*; by events: ' 1000=rebooted.cdict
refused a_guest_that_does_not_overlap_the_host_is_refused 'the recordings do not overlap: it ran from 879' 1000=web.cdict --clock 800000000000
refused a_VM_that_the_host_never_saw_is_refused "no vCPU of a VM 'mail'" mail=web.cdict
"$CDICT" join -q host.cdict 1000=web.cdict --clock 1000000000 -o both.cdict
host=both.cdict refused a_VM_is_joined_once 'is already joined' 1000=web.cdict --clock 1000000000
refused a_joined_recording_is_no_guest 'it is a joined recording itself' 1000=both.cdict --clock 1000000000
pair=$DATA/guest-pair
host=$pair/host.cdict refused another_VM_than_that_of_the_UUID_is_refused "its UUID is that of 'instance-0000001b', not of 'instance-0000001c'" \
	instance-0000001c="$pair/instance-0000001b.cdict"
