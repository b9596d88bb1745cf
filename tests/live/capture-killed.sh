#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# again: on a busy machine a recorder may lose events
# timeout: 280
# shares: 1
#
# A recorder killed at any moment leaves a readable file with all its blocks.
set -u
. "$TOP/tests/oracle/_lib.sh"
. "$TOP/tests/live/_capture.sh"

# 25 times, with EVERY=1 fifty, at any moment: the file opens, and holds the first part of the recording.
killed() {
	local i pid status blocks=0 at events
	perf bench sched pipe -l 100000000 >/dev/null 2>&1 &
	local load=$!
	for ((i = 0; i < 50; i++)); do
		in_sample $i 2 || continue
		rm -f x.cdict*
		"$CDICT" record -q -o x.cdict 2>rec.err &
		pid=$!
		until [ -e x.cdict ] || ! kill -0 $pid 2>/dev/null; do sleep 0.01; done
		at=0.$(printf %03d $((RANDOM % 1000)))
		[ $i -ge 10 ] || at=0.00$((RANDOM % 9))
		[ $i -lt 40 ] || at=1.${at#0.}
		sleep "$at"
		kill -KILL $pid
		wait $pid 2>/dev/null
		"$CDICT" info --verify x.cdict >info 2>info.err
		status=$?
		[ $status -eq 2 ] || { echo "killed after $at s: info ends with $status"; cat info.err; }
		# a write that was under way may have left a part of a block
		grep -qE '^state: (is truncated at byte|block at byte [0-9]+ needs [0-9]+ bytes, [0-9]+ are left|[0-9]{1,2} bytes at byte [0-9]+ are not a block)' info ||
			{ echo "killed after $at s:"; grep '^state' info; }
		grep -q 'damaged blocks' info && { echo "killed after $at s:"; tail -n 2 info; }
		events=$(sed -n 's/^events  *\([0-9,]*\)$/\1/p' info | tr -d ,)
		[ "$events" -eq 0 ] || blocks=$((blocks + 1))
		[ $((i % 5)) -eq 4 ] || continue
		"$CDICT" script -q x.cdict >lines 2>script.err
		[ "$(wc -l <lines)" = "$events" ] ||
			echo "killed after $at s: $(wc -l <lines) lines of $events events"
		[ -z "$(ls -A | grep 'tmp$')" ] || { echo "left over:"; ls -A; }
	done
	kill $load
	wait $load 2>/dev/null
	[ $blocks -gt 5 ] || echo "only $blocks of the files had events: nothing was tested"
}

may_record || exit 77
run kill-9-at-any-moment-leaves-files-that-open killed
