#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# again: on a busy machine a recorder may lose events
# timeout: 280
#
# cdict record on this machine's kernel: no losses, no faults, and a readable file however the
# recording ends.
set -u
. "$TOP/tests/oracle/_lib.sh"
. "$TOP/tests/live/_capture.sh"

# ---- completeness ---------------------------------------------------------------------------------

# nothing_lost COMMAND... - at the default buffer size
nothing_lost() {
	local lost
	"$CDICT" record -e 'sched:*' -o x.cdict -- "$@" >/dev/null 2>rec.err || { echo "record ends with $?"; cat rec.err; }
	lost=$(field lost x.cdict)
	[ "$lost" = 0 ] || { echo "$lost events are lost"; cat rec.err; }
	[ "$(events x.cdict)" -gt 20000 ] || echo "only $(events x.cdict) events"
	"$CDICT" info -q --verify x.cdict >/dev/null || echo "info --verify ends with $?"
}

# Of the command and all its descendants: the time that the kernel charges them, and the recorded time. The
# last switch of a task comes after the kernel's account of it was closed, or not.
switches_match() {
	local root theirs ours tasks
	"$CDICT" record -q -e sched:sched_switch,sched:sched_process_fork -o x.cdict -- \
		"$BUILD/tests/tools/run/rusage" use "$@" >/dev/null || echo "record ends with $?"
	read -r root theirs ours <use
	theirs=$((theirs + ours))
	read -r ours tasks < <("$CDICT" script x.cdict | awk -v root="$root" '
		BEGIN { mine[root] = n = 1 }
		/sched_process_fork: / && match($0, / pid=[0-9]+/) {
			parent = substr($0, RSTART + 5, RLENGTH - 5)
			match($0, /child_pid=[0-9]+/)
			if (parent in mine) { mine[substr($0, RSTART + 10, RLENGTH - 10)] = 1; n++ }
		}
		/sched_switch: / && match($0, / prev_pid=[0-9]+/) {
			if (substr($0, RSTART + 10, RLENGTH - 10) in mine) ours++
		}
		END { print ours + 0, n }')
	[ "$theirs" -gt 1000 ] || echo "the kernel counts only $theirs switches"
	[ $((ours - theirs)) -ge -"$tasks" ] && [ $((ours - theirs)) -le "$tasks" ] ||
		echo "the kernel counts $theirs switches of $tasks tasks, the recording has $ours"
}

# The events read and the events lost are all events: the kernel counts them as well.
everything_counted() {
	"$CDICT" record -v -e sched:sched_switch -o x.cdict "$@" 2>rec.err >/dev/null || cat rec.err
	read -r counted lost samples < <(sed -n \
		's/.* counted \([0-9,]*\) events and \([0-9,]*\) lost records; \([0-9,]*\) samples .*/\1 \2 \3/p' rec.err | tr -d ,)
	[ "${counted:-0}" -gt 1000 ] || { echo "the kernel counts ${counted:-nothing}"; cat rec.err; }
	[ "$samples" = "$(events x.cdict)" ] || echo "$samples read, $(events x.cdict) in the file"
}
nothing_missing() {
	everything_counted -- perf bench sched messaging -g 5 -l 200
	[ "$counted" = "$samples" ] || echo "the kernel counts $counted events, $samples were read"
}

# A ring of one page loses. LOST records and the kernel's counters agree, and so do we; a lost
# record may be a task's birth, which is not an event.
tiny_ring() {
	local reported
	everything_counted -r 0 -m 4K --max-loss 100 -- perf bench sched messaging -g 10 -l 300
	[ "${lost:-0}" -gt 0 ] || { echo "nothing was lost"; return; }
	reported=$(field lost x.cdict)
	[ "$reported" = "$lost" ] || echo "the kernel lost $lost, the file says $reported"
	[ $((samples + lost)) -ge "$counted" ] && [ $((samples + lost)) -le $((counted + 2000)) ] ||
		echo "$samples read and $lost lost are not the $counted that happened"
	"$CDICT" tasks --max-loss 100 x.cdict >table 2>/dev/null
	grep -q '^loss: [0-9,]* events lost' table || { echo "the table does not report it"; tail -n 2 table; }
	grep -q '~' table || echo "no figure of the table is marked as a bound"
	"$CDICT" tasks --max-loss 0 x.cdict >/dev/null 2>&1
	[ $? -eq 2 ] || echo "tasks --max-loss 0 does not end with 2"
}

# ---- at the same time as perf ----------------------------------------------------------------------------------

# Both record; in the seconds that both have, each CPU shows the same events, but for the times, which
# the kernel takes for each recorder anew, and for the recorder's own activity.
together_with_perf() {
	local own from to cpu pid
	cp "$(type -P true)" begin
	cp begin end
	"$CDICT" record -q -m 16M -e 'sched:*' -o x.cdict 2>rec.err &
	pid=$!
	ready $pid
	sleep 0.3
	perf record -q -m 16M -e 'sched:*' -a -o x.data -- sh -c \
		'./begin; perf bench sched messaging -g 3 -l 100; perf bench sched pipe -l 3000; ./end' >/dev/null 2>perf.err
	sleep 0.3
	kill -INT $pid
	wait $pid || { echo "record ends with $?"; cat rec.err; }
	perf_lines x.data >perf.lines
	cdict_lines x.cdict >cdict.lines
	own=$(about record.tids x.cdict)
	# While perf enables and disables its events one after the other, some are missing.
	from=$(awk '/sched_process_exec: filename=.\/begin / { printf "%.6f", $3 + 0 }' perf.lines)
	to=$(awk '/sched_process_exec: filename=.\/end / { printf "%.6f", $3 + 0 }' perf.lines)
	[ -n "$from" ] && [ -n "$to" ] || echo "perf saw neither begin nor end"
	for ((cpu = 0; cpu < $(nproc); cpu++)); do
		in_overlap perf.lines $cpu "$own" "$from" "$to" | sort >perf.cpu
		in_overlap cdict.lines $cpu "$own" "$from" "$to" | sort >cdict.cpu
		cat perf.cpu >>perf.all
		diff perf.cpu cdict.cpu >differ || {
			# An event at the very edge may have its two times on two sides of it.
			[ "$(grep -c '^[<>]' differ)" -le 4 ] || { echo "CPU $cpu:"; head -n 6 differ; }
		}
	done
	[ "$(wc -l <perf.all)" -gt 5000 ] || echo "perf printed only $(wc -l <perf.all) lines"
}
# An exiting task that is reaped between the two recorders' samples has its tid in the first and -1 in the second.
in_overlap() { # FILE CPU OWN FROM TO
	awk -v cpu="$2" -v own=",$3," -v from="$4" -v to="$5" '
		substr($2, 2) + 0 != cpu || $3 + 0 < from || $3 + 0 > to { next }
		$4 ~ /^sched:/ && $4 != "sched:sched_switch:" && match($0, / pid=[0-9]+/) {
			if (index(own, "," substr($0, RSTART + 5, RLENGTH - 5) ",")) next
		}
		/prev_state=[XZ] |sched_stat_runtime: / { $1 = "" }
		{ $3 = ""; print }' "$1"
}

keeps_perf_data() {
	"$CDICT" record -q -m 16M -o x.cdict --keep-perf-data x.data -- perf bench sched messaging -g 2 -l 100 \
		>/dev/null 2>rec.err || { echo "record ends with $?"; cat rec.err; }
	perf_lines x.data >perf.lines
	[ "$(wc -l <perf.lines)" -ge "$(events x.cdict)" ] ||
		echo "perf.data has $(wc -l <perf.lines) events, the cdict $(events x.cdict)"
	"$CDICT" convert -q -i x.data -o y.cdict || echo "convert of perf's file ends with $?"
	[ -z "$(jobs -r)" ] || echo "something still runs"
}

# ---- ends of a recording --------------------------------------------------------------------------

# ended_by SIGNAL - the file is complete
ended_by() {
	local pid
	start_recording -e 'sched:*'
	kill "-$1" $pid
	wait $pid
	[ $? -eq 0 ] || echo "record ends with $?"
	"$CDICT" info -q --verify x.cdict >info || echo "info ends with $?"
	grep -q '^state: whole' info || tail -n 1 info
	[ "$(events x.cdict)" -gt 0 ] || echo "no event"
}

# ended_early WHY - the file is complete, and losses are reported: all events read are stored or counted as lost
ended_early() {
	local lost at
	"$CDICT" info -q --max-loss 100 --verify x.cdict >info || echo "info ends with $?"
	grep -q '^state: whole' info || tail -n 1 info
	[ "$(events x.cdict)" -gt 1000 ] || echo "only $(events x.cdict) events are kept"
	lost=$(field lost x.cdict)
	read -r at samples < <(sed -n 's/.* and \([0-9,]*\) lost records; \([0-9,]*\) samples were read.*/\1 \2/p' rec.err | tr -d ,)
	[ "${lost:-0}" -gt 0 ] || { echo "no loss is reported"; tail -n 5 info; }
	[ $(($(events x.cdict) + lost)) = $((samples + at)) ] ||
		echo "$(events x.cdict) stored and $lost lost are not the $samples read and $at lost by the kernel"
	about record.end x.cdict | grep -q "^$1: [0-9,]* events\? from [0-9.]* s on not written\$" ||
		about record.end x.cdict
	grep -q "x.cdict: recording ended early: $1; the part written so far is kept\$" rec.err || cat rec.err
}

# until_it_ends COMMAND... - cdict record of a load without an end, in a process group of its own: record
# ends perf, and perf leaves its workers running
until_it_ends() {
	local status
	setsid -w bash -c 'echo $$ >group; exec "$@"' - "$@" -v -e 'sched:*' -o x.cdict -- \
		timeout --foreground 60 perf bench sched messaging -g 10 -l 1000000 >/dev/null 2>rec.err
	status=$?
	kill -KILL -- -"$(cat group)" 2>/dev/null
	return $status
}

# apart COMMAND... - with separate mounts.  In a chroot, / is not a mount that could be made private: the
# command unmounts its own mounts.
apart() {
	if unshare -m true 2>/dev/null; then unshare -m "$@"; else unshare -m --propagation unchanged "$@"; fi
}
export -f apart

# full_disk SIZE... - records until a disk of this size is full: the end fits wherever that is. A machine with
# thousands of tasks needs a few hundred KiB before the first event.
full_disk() {
	local status size
	mkdir -p disk
	for size in "$@"; do
		until_it_ends bash -c 'apart "$@"' - bash -c 'mount -t tmpfs -o size="$0" t disk || exit
			cd disk && "$CDICT" record "$@"; s=$?
			cp x.cdict ..; cd .. && umount -l disk; exit $s' "$size"
		status=$?
		[ $status -eq 2 ] || { echo "on $size record ends with $status"; cat rec.err; }
		ended_early "No space left on device"
	done
}

# Space that was reserved for the end, and not needed, is given back.
reserve_is_given_back() {
	local blocks
	"$CDICT" record -q -s 0.5 -o x.cdict || echo "record ends with $?"
	blocks=$(stat -c %b x.cdict)
	[ $((blocks * 512)) -lt $(($(stat -c %s x.cdict) + 65536)) ] ||
		echo "$(stat -c %s x.cdict) bytes take $((blocks * 512)) on the disk"
}

# From the first block on: nothing is recorded, nothing is left over.
disk_without_room() {
	mkdir -p disk
	apart bash -c 'mount -t tmpfs -o size=12k t disk || exit
		cd disk && "$CDICT" record -s 0.5 -o x.cdict 2>../rec.err; s=$?
		ls -A >../left; cd .. && umount -l disk; exit $s'
	[ $? -eq 1 ] || { echo "record does not end with 1"; cat rec.err; }
	grep -q 'No space left on device' rec.err || cat rec.err
	[ ! -s left ] || { echo "left over:"; cat left; }
}

file_too_large() {
	until_it_ends bash -c 'ulimit -f 900; exec "$CDICT" record "$@"' -
	[ $? -eq 2 ] || echo "record does not end with 2"
	[ "$(stat -c %s x.cdict)" -le $((900 * 1024)) ] || echo "it has $(stat -c %s x.cdict) bytes"
	ended_early "File too large"
}

# ---- commands, names, pipes -----------------------------------------------------------------------

status_is_passed_on() {
	"$CDICT" record -q -o x.cdict -- sh -c 'exit 7'
	[ $? -eq 7 ] || echo "exit 7 does not arrive"
	"$CDICT" record -q -o x.cdict -- sh -c 'kill -KILL $$'
	[ $? -eq 137 ] || echo "signal 9 does not arrive as 137"
	"$CDICT" record -q -o x.cdict true -x || echo "options of the command are taken for ours"
	"$CDICT" record -q -o none.cdict -- no-such-command 2>rec.err
	[ $? -eq 1 ] && [ ! -e none.cdict ] || echo "a command that does not exist leaves a file"
}

# The starting program may ignore signals, and ignored signals are inherited.
ignored_signals() {
	local pid
	timeout 200 env --ignore-signal=CHLD "$CDICT" record -q -o x.cdict -- sh -c 'exit 7'
	[ $? -eq 7 ] || echo "with SIGCHLD ignored exit 7 does not arrive"
	nohup "$CDICT" record -q -o y.cdict >/dev/null 2>&1 &
	pid=$!
	ready $pid
	sleep 0.2
	kill -HUP $pid
	sleep 0.3
	kill -TERM $pid || echo "nohup does not keep it"
	wait $pid || echo "record ends with $?"
	"$CDICT" info -q --verify y.cdict | grep -q '^state: whole' || echo "it is not whole"
}

streams() {
	"$CDICT" record -q -s 0.5 -o - | "$CDICT" info --verify - >info
	[ "${PIPESTATUS[*]}" = "0 0" ] || echo "statuses ${PIPESTATUS[*]}"
	grep -q '^state: whole' info || tail -n 1 info
	timeout 200 "$CDICT" record -q -e 'sched:*' -o - 2>rec.err | head -c 3000 >/dev/null
	[ "${PIPESTATUS[0]}" -eq 1 ] || echo "without a reader it ends with ${PIPESTATUS[0]}"
	[ ! -s rec.err ] || cat rec.err
}

# The kernel takes its time to close tracepoints (36 ms each of kvm:* here): a reader of the stream or of the
# closing lines does not wait for that.
the_end_is_reported_first() {
	local pid i
	mkfifo stream
	"$CDICT" record --all -s 0.3 -o - 2>rec.err >stream &
	pid=$!
	cat stream >streamed.cdict
	grep -q '^State:.*[RSD] (' /proc/$pid/status 2>/dev/null || echo "the stream ends with the process, not before it"
	for ((i = 0; i < 20; i++)); do
		grep -q 'the recorder used' rec.err && break
		sleep 0.02
	done
	grep -q '^State:.*[RSD] (' /proc/$pid/status 2>/dev/null || echo "the closing lines come with the end of the process"
	grep -q 'the recorder used' rec.err || echo "the closing lines come later than the stream's end"
	"$CDICT" info -q --verify streamed.cdict | grep -q '^state: whole' || echo "the streamed file is not complete"
	wait $pid || echo "record ends with $?"
}

old_file_is_kept() {
	echo precious >x.cdict
	"$CDICT" record -q -e no:such -o x.cdict -s 0.1 2>/dev/null
	[ "$(cat x.cdict)" = precious ] || echo "a recording that fails takes the file away"
	"$CDICT" record -q -s 0.1 -o x.cdict || echo "record ends with $?"
	[ "$(cat x.cdict.old)" = precious ] || echo "the old file is not FILE.old"
	"$CDICT" info -q x.cdict >/dev/null || echo "info ends with $?"
}

stats_beside_it() {
	"$CDICT" record -q -s 0.3 --stats -o x.cdict || echo "record ends with $?"
	"$CDICT" stats --max-loss 100 x.cdict 2>&1 | diff - x.stats.txt
	rm -f x.stats.txt
}

filters() {
	"$CDICT" record -q -e sched:sched_switch --filter 'prev_comm == "sleep"' -e sched:sched_waking -o x.cdict -- \
		sh -c 'sleep 0.1; sleep 0.1'
	"$CDICT" script x.cdict >lines
	grep -q 'sched_switch: prev_comm=sleep ' lines || echo "no switch passes"
	grep 'sched_switch: ' lines | grep -v 'prev_comm=sleep ' | head -n 2
	grep -q 'sched_waking: ' lines || echo "the filter is for other events as well"
	"$CDICT" record -q -e sched:sched_switch --filter 'no_such == 0' -s 0.1 -o y.cdict 2>rec.err
	[ $? -eq 129 ] || echo "an invalid filter does not end with 129"
	grep -q "rejects the filter 'no_such == 0' for sched:sched_switch" rec.err || cat rec.err
}

# Only the recorder's wake-ups of itself are missing; switches to and from it are there.
own_activity() {
	local own tid
	"$CDICT" record -q -e 'sched:*' -s 1.5 -o x.cdict
	"$CDICT" script x.cdict >lines
	own=$(about record.tids x.cdict)
	for tid in ${own//,/ }; do
		grep -v 'sched_switch: ' lines | grep " pid=$tid " | head -n 1
	done
	grep -q "sched_switch: .*=${own##*,} " lines || echo "no switch of ${own##*,} is recorded"
}

wall_clock() {
	local before after at
	before=$(date +%s%N)
	"$CDICT" record -q -s 0.5 -o x.cdict "$@"
	after=$(date +%s%N)
	at=$("$CDICT" info --format json x.cdict | sed -n 's/.*"first_event_wall_ns": \([0-9]*\).*/\1/p')
	[ "${at:-0}" -gt "$before" ] && [ "${at:-0}" -lt "$after" ] ||
		echo "first event at ${at:-no time}, recorded from $before to $after"
}
clocks() {
	wall_clock
	wall_clock -k mono
	"$CDICT" info x.cdict | grep -q '^clock  *monotonic' || echo "info does not name the clock"
}

one_cpu() {
	"$CDICT" record -q -C 0 -s 0.5 -o x.cdict
	"$CDICT" script x.cdict | grep -v '\[000\]' | head -n 1
	[ "$(events x.cdict)" -gt 0 ] || echo "no event"
	"$CDICT" record -q -C 4095 -s 0.1 -o y.cdict 2>rec.err
	[ $? -eq 129 ] || echo "a CPU that is not there does not end with 129"
}

# ---- storms, hosts, rights ------------------------------------------------------------------------

fork_storm() {
	"$CDICT" record -q -e sched:sched_process_fork,sched:sched_switch -o x.cdict -- \
		bash -c 'for ((i = 0; i < 3000; i++)); do (:) & done; wait' || echo "record ends with $?"
	[ "$(field lost x.cdict)" = 0 ] || echo "$(field lost x.cdict) are lost"
	[ "$("$CDICT" script x.cdict | grep -c 'sched_process_fork: ')" -ge 3000 ] || echo "forks are missing"
	[ "$("$CDICT" info x.cdict | sed -n 's/^tasks  *\([0-9,]*\) threads.*/\1/p' | tr -d ,)" -ge 3000 ] ||
		"$CDICT" info x.cdict | grep '^tasks'
}

# The queue of one byte has room for one batch: the others are dropped whole, and reported.
back_pressure() {
	local lost
	"$CDICT" record -v --queue 1B -e 'sched:*' --max-loss 100 -o - -- perf bench sched pipe -l 100000 2>rec.err |
		(sleep 4; cat) >x.cdict
	lost=$(field lost x.cdict)
	read -r counted samples dropped < <(sed -n \
		's/.* and \([0-9,]*\) lost records; \([0-9,]*\) samples were read, \([0-9,]*\) of.*/\1 \2 \3/p' rec.err | tr -d ,)
	[ "${dropped:-0}" -gt 0 ] || { echo "nothing was dropped"; return; }
	[ "$lost" = $((dropped + counted)) ] || echo "$dropped dropped and $counted lost, the file says $lost"
	[ $(($(events x.cdict) + dropped)) = "$samples" ] ||
		echo "$(events x.cdict) stored and $dropped dropped are not the $samples that were read"
}

traces_of_us() {
	find /sys/kernel/tracing/events/sched -name filter -o -name enable | sort | xargs cat 2>/dev/null
	cat /sys/kernel/tracing/{set_event,trace_clock,buffer_size_kb,kprobe_events} 2>/dev/null
	ls /sys/kernel/tracing/instances /proc/sys/kernel | cat
	cat /proc/sys/kernel/perf_event_{paranoid,mlock_kb,max_sample_rate}
}
nothing_left_over() {
	local pid
	traces_of_us >before
	"$CDICT" record -q --all -s 0.3 -o x.cdict
	start_recording -e 'sched:*'
	kill -KILL $pid
	wait $pid 2>/dev/null
	traces_of_us >after
	diff before after | head -n 5
	ls -A | grep -v '^\(x.cdict\|x.cdict.old\|before\|after\|rec.err\)$'
}

rights() {
	# memcheck writes files that nobody cannot
	local program=$CDICT
	[ "${INSTRUMENT-}" != valgrind ] || program=$BUILD/cdict
	# shellcheck disable=SC2317
	as() { # CAPABILITIES [OPTION]...: the user nobody with them
		setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps="$1" --ambient-caps="$1" \
			"$program" record -q -s 0.2 -o "$PWD/open/x.cdict" "${@:2}" 2>rec.err
	}
	mkdir -p open && chmod 777 open . || return
	as +perfmon,+dac_read_search || { echo "CAP_PERFMON does not suffice"; cat rec.err; }
	for caps in +dac_read_search +perfmon -all; do
		as $caps
		[ $? -eq 1 ] || echo "without root, with $caps, it does not end with 1"
		is_reported 'setcap cap_perfmon,cap_ipc_lock,cap_dac_read_search,cap_syslog=ep /' "without root, with $caps"
	done
	# The printed capabilities are enough, also for the names of the kernel's functions and for large rings.
	hint=$(sed -n 's/.*setcap \([a-z_,]*\)=ep .*/\1/p' rec.err | sed 's/cap_/+/g')
	as "$hint" -g -m 64M || { echo "$hint, as printed, does not suffice"; cat rec.err; }
	"$CDICT" script -q --max-loss 100 open/x.cdict -F ip,sym 2>/dev/null | grep -q '__schedule\|schedule$' || echo "with $hint no function of the kernel has a name"
	if unshare -r true 2>/dev/null; then
		unshare -r "$CDICT" record -q -s 0.1 -o none.cdict 2>rec.err
		is_reported 'in a user namespace' "in a user namespace"
		! grep -i 'seccomp\|setcap' rec.err
	fi
	# The missing right is named, and how to grant it.
	as +dac_read_search
	is_reported "(perf_event_paranoid is $(cat /proc/sys/kernel/perf_event_paranoid)): run as root, or as root run setcap " "without CAP_PERFMON"
	as +perfmon
	is_reported '/events cannot be read: run as root, or as root run setcap ' "without tracefs"
	as +perfmon,+dac_read_search -m 512M
	is_reported 'cannot lock 524288 KiB for each of [0-9]* CPUs*: use a smaller -m, grant CAP_IPC_LOCK or raise kernel.perf_event_mlock_kb' "with large rings"
	chmod 755 open
	as +perfmon,+dac_read_search
	is_reported "cdict record: $PWD/open/x.cdict: cannot be written: Permission denied\$" "where it may not write"
	if unshare -m true 2>/dev/null; then
		unshare -m sh -c 'umount -alt tracefs,debugfs
			exec "$CDICT" record -q -s 0.1 -o none.cdict' 2>rec.err
		[ ! -e none.cdict ] || echo "without tracefs a file is left"
		grep -q 'cdict record: tracefs is not mounted: as root, run mount -t tracefs nodev /sys/kernel/tracing$' rec.err || cat rec.err
	fi
}
is_reported() { # PATTERN CASE - in one line
	[ "$(wc -l <rec.err)" -eq 1 ] && grep -q "$1" rec.err || { echo "$2 it says:"; cat rec.err; }
}

# ---- run ------------------------------------------------------------------------------------------

may_record || exit 77
run nothing-is-lost-under-messaging nothing_lost perf bench sched messaging -g 10 -l 300
run nothing-is-lost-under-pipe nothing_lost perf bench sched pipe -l 100000
run switches-of-messaging-match-the-kernels-account switches_match perf bench sched messaging -g 5 -l 200
run switches-of-pipe-match-the-kernels-account switches_match perf bench sched pipe -l 20000
run every-event-that-the-kernel-counted-is-read nothing_missing
run a-tiny-ring-loses-as-many-as-the-kernel-counts tiny_ring
run perf-at-the-same-time-sees-the-same-events together_with_perf
run perf-data-is-kept keeps_perf_data
run ctrl-c-leaves-a-whole-file ended_by INT
run sigterm-leaves-a-whole-file ended_by TERM
if apart sh -c 'mount -t tmpfs none /mnt && umount /mnt' 2>/dev/null; then
	run a-full-disk-keeps-the-events-so-far full_disk 900k 1200k
	run a-disk-without-room-gets-nothing disk_without_room
else
	skip a-full-disk-keeps-the-events-so-far "tmpfs may not be mounted here"
fi
run a-file-size-limit-keeps-the-events-so-far file_too_large
run reserved-space-is-given-back reserve_is_given_back
run the-commands-status-is-passed-on status_is_passed_on
run ignored-signals-are-known ignored_signals
run streams-into-a-pipe streams
run the-end-is-reported-before-the-events-are-closed the_end_is_reported_first
run an-old-file-is-kept old_file_is_kept
run the-stats-file-is-what-stats-prints stats_beside_it
run filters-apply-to-the-events-before-them filters
run own-activity-except-switches-is-left-out own_activity
run wall-clock-is-known clocks
run one-cpu-only one_cpu
run a-fork-storm-is-recorded fork_storm
run events-that-cannot-be-written-in-time-are-dropped-and-reported back_pressure
run nothing-is-left-over nothing_left_over
run rights-are-asked-for-in-one-line rights
