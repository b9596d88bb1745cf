#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 600
#
# The figures of analyze/ against perf's own reports of the same capture, to perf's printed
# digits: `perf sched timehist --summary -M` and `--state`, `perf sched latency -p`, `perf kvm stat
# report` for vmexit, ioport, mmio and msr.  Accepted differences, explained in doc/figures.md:
#   - perf attributes the last slice of an exiting task to tid -1: if so, the sum of the tasks that died
#     is compared with the row of -1, except for the last digit, which perf truncates;
#     perf 6.12 drops a task when it exits: tasks that died are not compared with it;
#   - perf computes the mean slice in floating point and truncates it: just below a whole number of microseconds;
#   - time off the CPU is not compared for tasks with unknown time or an unknown wait (perf bridges it, also while it
#     was still enabling the CPUs' events);
#   - perf 6.1 counts a wait in state R+ as sleep;
#   - exits that perf calls UNKNOWN are compared by their numbers only.
set -u
. "$TOP/tests/oracle/_lib.sh"
perfnumbers=$BUILD/tests/tools/check/perfnumbers

have_perf || { skip numbers "perf is not installed"; exit 0; }
[ -x "$perfnumbers" ] || { skip numbers "$perfnumbers is not built"; exit 0; }

# numbers REPORT FILE.cdict - as this machine's perf defines them
version=$(perf --version | sed -n 's/^perf version \([0-9]*\.[0-9]*\).*/\1/p')
newer=
if printf '%s\n' 6.12 "$version" | sort -CV; then newer=6.12; fi
numbers() { "$perfnumbers" "$@" $newer; }

# timehist_rows FILE.data OPTION TITLE COLUMNS - "tid sched-in column..." of a summary.
timehist_rows() {
	perf sched timehist -i "$1" --summary "$2" 2>perf.err </dev/null | tee timehist.out |
		sed -n "/^$3/,/^Idle stats/p" | sed -n 's/^ *[^ ].*\[\(-*[0-9]*\)\(\/[-0-9]*\)*\]  */\1 /p' |
		awk -v columns="$4" '{
			n = split(columns, c, " ")
			for (i = 1; i <= n; i++)
				printf "%s%s", $c[i], i < n ? " " : "\n"
		}'
}

# For awk: `is` has the tids of the variable `tids`, and perf's -1.
is_one='BEGIN { n = split(tids " -1", list, " "); while (n) is[list[n--]] = 1 }'

# without TIDS FILE - the rows of the others
without() { awk -v tids="$1" "$is_one"'
	!($1 in is)' "$2"; }

# fold_dead DEAD - the rows of the tasks that died, and of perf's tid -1, as one: their sched-ins (column 2).
fold_dead() {
	awk -v tids="$1" "$is_one"'
		$1 in is { in_ += $2; next }
		{ print }
		END { printf "dead %d\n", in_ }'
}

# dead_time DEAD - prints faults in the run time of those, perf.rows against ours.flags.  perf cuts each row to whole
# microseconds: the task's time is from their sum to less than a microsecond a row above it.
dead_time() {
	awk -v tids="$1" "$is_one"'
		!($1 in is) { next }
		FILENAME == "perf.rows" { sub(/[.]/, "", $3); low += $3 * 1000; rows++ }
		FILENAME == "ours.flags" { ns += $9 }
		END {
			if (ns < low || ns >= low + 1000 * rows)
				printf "the dead ran %.0f ns, by perf %.0f ns and less than %.0f more\n", ns, low, 1000 * rows
		}' perf.rows ours.flags
}

# whole_means - perf.rows, with the mean slice (column 5) as ours where that is a whole number of microseconds and
# perf's one less.
whole_means() {
	awk '
		{ key = $1 " " $2 " " $3 }
		FILENAME == "perf.rows" {
			below = mean[key] - $5
			if (below > 0.0005 && below < 0.0015)
				$5 = mean[key]
			print
		}
		FILENAME == "ours.flags" && $9 % ($2 * 1000) == 0 { mean[key] = $5 }' ours.flags perf.rows
}

check_sched() {
	local data=$1 file=$2 name=$3 dead='' unsure wrong=''
	timehist_rows "$data" -M "Runtime summary" "1 3 4 5 6 7 9" | sort >perf.rows
	numbers timehist "$file" | sort >ours.flags
	if [ ! -s perf.rows ]; then
		skip "$name-timehist" "perf sched timehist finds nothing"
		return
	fi
	cut -d' ' -f1-7 ours.flags >ours.rows
	whole_means | sort >perf.means && mv perf.means perf.rows
	if ! grep -q '^Terminated tasks:' timehist.out; then
		dead=$({
			awk '$8 ~ /d/ { print $1 }' ours.flags
			perf script --show-task-events -F comm,tid,time,event -i "$data" 2>/dev/null </dev/null |
				sed -n 's/.*PERF_RECORD_EXIT([0-9]*:\([0-9]*\)).*/\1/p'
		} | sort -u | tr '\n' ' ')
		for f in perf ours; do without "$dead" $f.rows >$f.living && mv $f.living $f.rows; done
	elif grep -q '^-1 ' perf.rows; then
		dead=$(awk '$8 ~ /d/ { print $1 }' ours.flags | sort -u | tr '\n' ' ')
		wrong=$(dead_time "$dead")
		for f in perf ours; do
			fold_dead "$dead" <$f.rows | sort >$f.folded && mv $f.folded $f.rows
		done
	fi
	verdict "$name-timehist" "$wrong${wrong:+$'\n'}$(differ perf.rows ours.rows)"

	timehist_rows "$data" --state "Wait-time summary" "1 4 5 6 7 8" | sort >perf.rows
	numbers state "$file" | sort >ours.flags
	unsure=$(awk '$7 ~ /[ud]/ { print $1 }' ours.flags | sort -u | tr '\n' ' ')
	[ -n "$dead" ] || unsure=$(awk '$7 ~ /u/ { print $1 }' ours.flags | sort -u | tr '\n' ' ')
	cut -d' ' -f1-6 ours.flags >ours.rows
	[ -n "$newer" ] && unsure+=" $dead"
	for f in perf ours; do without "$unsure" $f.rows >$f.sure; done
	[ -s perf.sure ] || echo "no task is left to compare" >ours.sure
	verdict "$name-state" "$(differ perf.sure ours.sure)"
}

check_latency() {
	local data=$1 file=$2 name=$3
	perf sched latency -p -i "$data" 2>perf.err </dev/null |
		sed -n 's/^  .*:\([0-9]*\)  *| *\([0-9.]*\) ms | *\([0-9]*\) | avg: *\([0-9.]*\) ms | max: *\([0-9.]*\) ms | max start: *\([0-9.]*\) s | max end: *\([0-9.]*\) s.*/\1 \2 \3 \4 \5 \6 \7/p' |
		sort >perf.rows
	numbers latency "$file" | sort >ours.rows
	if [ ! -s perf.rows ]; then
		skip "$name-latency" "perf sched latency finds nothing"
		return
	fi
	verdict "$name-latency" "$(differ perf.rows ours.rows)"
}

check_kvm() {
	local data=$1 file=$2 name=$3 what=$4
	perf kvm -i "$data" stat report --event="$what" >kvm.out 2>&1 </dev/null
	if [ $? -ge 128 ]; then
		skip "$name-$what" "perf $version crashes on it"
		return
	fi
	sed -n 's/^ *\(.*[^ ]\)  *\([0-9][0-9]*\)  *[0-9.]*%  *[0-9.]*%  *\([0-9.]*\)us  *\([0-9.]*\)us  *\([0-9.]*\)us.*/\1 \2 \3 \4 \5/p' kvm.out |
		sort >perf.rows
	numbers "$what" "$file" | sort >ours.rows
	if grep -q '^UNKNOWN ' perf.rows; then
		for f in perf ours; do
			sed 's/.* \([0-9]* [0-9.]* [0-9.]* [0-9.]*\)$/\1/' $f.rows | sort >$f.bare
			mv $f.bare $f.rows
		done
	fi
	[ -s perf.rows ] || echo "perf prints no row" >>ours.rows
	verdict "$name-$what" "$(differ perf.rows ours.rows)"
}

# check DATA NAME [KVM]...
check() {
	local data=$1 name=$2 what
	shift 2
	rm -f x.cdict
	rm -f x.cdict
	"$CDICT" convert -q -i "$data" -o x.cdict 2>convert.err </dev/null
	if [ ! -s x.cdict ]; then
		fail "$name" <convert.err
		return
	fi
	check_sched "$data" x.cdict "$name"
	check_latency "$data" x.cdict "$name"
	for what; do
		check_kvm "$data" x.cdict "$name" $what
	done
}

while IFS= read -r data; do
	name=$(basename "$data" .data)
	case $name in
	kvm-pipe) ;; # perf's sched and kvm commands see nothing in a pipe's file
	kvm-callchain) check "$data" "$name" ;; # without kvm_entry
	kvm-libvirt-cgroups) check "$data" "$name" vmexit ;;
	kvm-*) check "$data" "$name" vmexit ioport mmio msr ;;
	esac
done < <(real_captures all)

# Five slices whose mean is 841 us; perf 6.1 prints 0.840.
{
	echo 'cpus 1
		default sched:sched_switch prev_prio=120 next_prio=120
		proc 1000 worker'
	at=100000000000
	for slice in 1940110 1288414 36711 477015 462750; do
		echo "0/0 [000] 100.${at: -9}: sched:sched_switch: prev_pid=0 prev_state=R next_pid=1000"
		at=$((at + slice))
		echo "1000 [000] 100.${at: -9}: sched:sched_switch: prev_pid=1000 prev_state=S next_pid=0"
		at=$((at + 10000))
	done
} >mean.trace
if "$MKPERF" --formats "$DATA/formats" -o mean.data mean.trace 2>mkperf.err; then
	check mean.data whole-mean
else
	fail whole-mean <mkperf.err
fi

# A fresh one, of this machine's scheduler; with rings that are large enough for the other tests at the same time.
record_fresh() {
	perf record -q -a -m 8M -o fresh.data -e sched:sched_switch,sched:sched_waking,sched:sched_wakeup \
		-e sched:sched_wakeup_new,sched:sched_migrate_task,sched:sched_stat_runtime \
		-- sh -c 'for i in 1 2 3 4 5; do ls / >/dev/null; sleep 0.05; done' >record.log 2>&1
}
# missed - how often events are missing from it: where perf lost some, and where the task switched out is not the one
# switched in on that CPU before.  perf books that time to the task that is switched out next; for us it is unknown.
missed() {
	{
		perf report --stats -i fresh.data 2>/dev/null | grep LOST
		perf script -F cpu,event,trace -i fresh.data 2>/dev/null
	} | awk '
		/LOST.* events:/ { n += $3 }
		/sched:sched_switch:/ && match($0, / prev_pid=[0-9]+/) {
			prev = substr($0, RSTART + 10, RLENGTH - 10)
			match($0, / next_pid=[0-9]+/)
			if (($1 in on) && on[$1] != prev)
				n++
			on[$1] = substr($0, RSTART + 10, RLENGTH - 10)
		}
		END { print n + 0 }'
}
# A kernel that passes most switches away from idle neither to ftrace nor to perf has been seen (6.18 in a VM): with no CPU
# idle it misses one or two now and then.
record_busy() {
	local cpu spinners=() status
	for cpu in $(seq 0 $(($(getconf _NPROCESSORS_CONF) - 1))); do
		taskset -c "$cpu" sh -c 'while :; do :; done' 2>/dev/null &
		spinners+=($!)
	done
	sleep 0.2
	record_fresh
	status=$?
	kill "${spinners[@]}"
	wait "${spinners[@]}" 2>/dev/null
	return $status
}
if ! record_fresh; then
	skip fresh "perf cannot record scheduler events here"
else
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
		[ "$(missed)" -gt 0 ] && record_busy || break
	done
	if [ "$(missed)" -eq 0 ]; then
		check fresh.data fresh
	else
		skip fresh "recording after recording misses events here"
	fi
fi
