#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 280
# shares: 1
# needs: python3
#
# A perf record file after kill -9 has no formats: on the same host cdict uses those in tracefs, reports it, and prints every
# complete record like perf script. perf cannot read such a file, so the test appends the formats of a complete
# recording to the records (tests/tools/run/mendperf.py), and changes nothing else.
set -u
. "$TOP/tests/oracle/_lib.sh"
. "$TOP/tests/live/_capture.sh"

# blanks aside, and %ps: perf asks the running kernel for names, and no killed recording has its symbols
lines() { sed -e 's/  */ /g' -e 's/^ //' -e 's/ $//' -e 's/ function[ =][^ ]*/ function/'; }

# killed N WHAT... - perf record WHAT..., killed after five times, of which every second is tried (EVERY=1: each)
killed() {
	local n=$1 at pid status
	shift
	# little: perf script has to print all of it
	while [ ! -e ended ]; do perf bench sched pipe -l 300 >/dev/null 2>&1; sleep 0.05; done &
	local load=$!
	for at in 0.2 0.5 0.9 1.4 2.1; do
		in_sample $((n += 1)) 2 || continue
		rm -rf killed.data* x.cdict y.cdict
		perf record "$@" -e 'sched:*' -o killed.data >/dev/null 2>&1 &
		pid=$!
		perf record -q -a -e 'sched:*' -o complete.data sleep 0.1 >/dev/null 2>&1
		for ((i = 0; i < 200; i++)); do [ ! -s killed.data ] || break; sleep 0.01; done
		sleep "$at"
		kill -KILL $pid
		wait $pid 2>/dev/null
		"$CDICT" convert killed.data -o x.cdict 2>err
		status=$?
		if ! grep -q "took the formats of [0-9]* events* from this host's tracefs: the recording is from this kernel" err; then
			# no record was written yet: reported
			grep -q 'no events before the damage' err && continue
			echo "killed after $at s: the formats are not taken"
			cat err
			continue
		fi
		[ $status -eq 2 ] || echo "killed after $at s: status $status"
		grep -q 'input is damaged: the recorder was killed' err || cat err
		python3 "$TOP/tests/tools/run/mendperf.py" killed.data complete.data mended.data
		perf script --guest-code --ns -F tid,cpu,time,event,trace -i mended.data 2>/dev/null | lines | sort >perf.txt
		"$CDICT" script -q x.cdict 2>/dev/null | lines | sort >cdict.txt
		cmp -s perf.txt cdict.txt || { echo "killed after $at s:"; diff perf.txt cdict.txt | head -n 4; }
		found=$((found + $(wc -l <cdict.txt)))
		# the formats of the parallel recording are those of tracefs
		"$CDICT" convert -q --formats complete.data killed.data -o y.cdict
		"$CDICT" script -q y.cdict 2>/dev/null | lines | sort | cmp -s cdict.txt - || echo "killed after $at s: other lines with --formats"
		"$CDICT" tasks -q killed.data >tasks.txt
		[ $? -eq 2 ] || echo "killed after $at s: tasks does not end with 2"
		"$CDICT" tasks -q x.cdict | tail -n +2 | cmp -s - <(tail -n +2 tasks.txt) || echo "killed after $at s: another table on the way"
	done
	: >ended
	wait $load 2>/dev/null
	[ "$found" -gt 300 ] || echo "only $found events: nothing was tested"
}

one() {
	local found=0
	killed 0 -a
}
compressed() {
	local found=0
	killed 1 -a -z
}

may_record || exit 77
have_perf || exit 77
run recordings-killed-at-any-moment-are-what-perf-script-prints one
run compressed-recordings-killed-at-any-moment-too compressed
