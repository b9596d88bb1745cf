#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The cost of live recording, compared with perf record of the same events: slow-down of the recorded load,
# the recorder's CPU, bytes written, events lost. A round runs the load once under each recorder, and in every second
# round also alone, in alternating order; figures are compared within the round.
#
# Both run with their defaults: cdict with a ring of 16 MB, perf with one of 512 KB. Because perf then loses events, which
# costs it nothing, it also runs with 16 MB.
#
#   tests/bench/_measure/record.sh             also called by tests/bench/_measure/run.sh; prints lines of its table
#
# Environment: CDICT the program, RUNS=5 (4 * RUNS + 1 rounds: runs of the same program differ by 30 %),
#   STRICT=1: exit with status 1 if a "must" is missed,
#   RECORD_DIR=dir where to write (on a disk, not a tmpfs: perf writes hundreds of megabytes)
set -u
export LC_ALL=C
CDICT=${CDICT:-$PWD/build/cdict}
here=$(cd "$(dirname "$0")" && pwd)
ROUNDS=$((4 * ${RUNS:-5} + 1))
events='sched:*' # of kvm:* none fires here, and each takes the kernel 36 ms to close
missed=0

[ -x "$CDICT" ] || { echo "record.sh: the program $CDICT is missing" >&2; exit 1; }

holds() { awk "BEGIN { exit !($1) }"; }
median() { sort -n | awk '{ v[NR] = $1 } END { if (NR) print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }
line() { printf '%-66s %10s %8s %8s  %s\n' "$@"; }
note() { line "$1" "$2" - - "${3-}"; }

# seconds RECORDER LOAD... - appends the time that the load reports to RECORDER.time
seconds() {
	local recorder=$1
	shift
	"$@" 2>"$recorder.err" | sed -n 's/^ *Total time: *\([0-9.]*\) .*/\1/p' >>"$recorder.time"
}
# cpu RECORDER COMMAND... - writes CPU seconds of it and its children to RECORDER.cpu; the load's are subtracted later
cpu() {
	local recorder=$1 TIMEFORMAT='%U %S'
	shift
	{ time "$@"; } 2>time.out
	tail -n 1 time.out | awk '{ print $1 + $2 }' >>"$recorder.cpu"
}

with_perf() { perf record -q -e "$events" -a -o perf.data -- "$@"; }
with_perf16M() { perf record -q -e "$events" -a -m 16M -o perf.data -- "$@"; }
with_cdict() { "$CDICT" record -v -e "$events" -o x.cdict -- "$@"; }
with_none() { "$@"; }

lost() { "$CDICT" info -q --max-loss 100 --format json "$1" | sed -n 's/^ *"lost": \([0-9]*\),*$/\1/p'; }

# under RECORDER LOAD... - one run, and the events that RECORDER lost; output of the previous run is on disk before it starts
under() {
	local recorder=$1
	shift
	sync -f .
	cpu "$recorder" seconds "$recorder" "with_$recorder" "$@"
	case $recorder in
	cdict)
		sed -n 's/.*the recorder used \([0-9.]*\) s of CPU.*/\1/p' cdict.err >>cdict.own
		lost x.cdict >>cdict.lost
		;;
	perf*)
		"$CDICT" convert -q --max-loss 100 -i perf.data -o lost.cdict
		lost lost.cdict >>"$recorder.lost"
		stat -c %s perf.data >"$recorder.bytes"
		;;
	esac
}

# ratios NAME RECORDER - our value divided by RECORDER's, round by round: "LOW MEDIAN HIGH", the 95 % confidence interval of
# the median (order statistics of the binomial distribution).
ratios() {
	paste -d' ' "cdict.$1" "$2.$1" | awk '{ print $1 / $2 }' | sort -n | awk '
		{ v[NR] = $1 }
		END {
			p = 0.5 ^ NR; below = 0
			for (k = 0; below + p <= 0.025; k++) { below += p; p = p * (NR - k) / (k + 1) }
			k = k ? k : 1
			printf "%.3f %.3f %.3f\n", v[k], (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2, v[NR + 1 - k]
		}'
}

# compare NAME FIGURE RECORDER TEXT - checks the median ratio of ours to RECORDER's against the bounds; the 95 % interval after
# the verdict shows how much may be noise
compare() {
	local low ratio high verdict
	read -r low ratio high <<<"$(ratios "$2" "$3")"
	verdict=MISSED
	! holds "$ratio <= 1.0" || verdict=ok
	! holds "$ratio <= 0.9" || verdict="ok, aim"
	[ "$verdict" != MISSED ] || missed=$((missed + 1))
	line "$1: $4 of $3's" "$ratio" 1.0 0.9 "$verdict ($low-$high)"
}

sum() { awk '{ s += $1 } END { print s + 0 }' "$1"; }

# storm NAME LOAD...
storm() {
	local name="record, $1" perfs="perf perf16M" i recorder order verdict
	shift
	rm -f ./*.time ./*.cpu ./*.own ./*.lost ./*.bytes
	for ((i = 0; i < ROUNDS; i++)); do
		order="$perfs cdict"
		((i % 2)) || order="none cdict $(tac -s' ' <<<"$perfs " | xargs)"
		for recorder in $order; do
			under "$recorder" "$@"
		done
	done
	for recorder in $perfs; do
		compare "$name" time "$recorder" time
		compare "$name" cpu "$recorder" "CPU, with the load's,"
	done
	for recorder in none $perfs cdict; do
		note "$name: seconds, and of CPU: ${recorder/none/alone}" "$(median <"$recorder.time")" "$(median <"$recorder.cpu")"
	done
	for recorder in $perfs; do
		note "$name: bytes, and lost in $ROUNDS runs: $recorder" "$(cat "$recorder.bytes")" "$(sum "$recorder.lost")"
	done
	note "$name: bytes, and CPU of itself: cdict" "$(stat -c %s x.cdict)" "$(median <cdict.own)"
	verdict=ok
	[ "$(sum cdict.lost)" -eq 0 ] || { verdict=MISSED; missed=$((missed + 1)); }
	line "$name: events lost in $ROUNDS runs: cdict" "$(sum cdict.lost)" 0 0 "$verdict"
	rm -f perf.data
}

# events FILE - number of events in it, including lost ones
events() {
	"$CDICT" info -q --max-loss 100 --format json "$1" |
		awk -F'[ ,:]+' '/^ *"(events|lost)":/ && $3 ~ /^[0-9]+$/ { n += $3 } END { print n + 0 }'
}

# own RECORDER COMMAND... - its CPU per million events while something else is recorded: the load is not its child
own() {
	local recorder=$1 TIMEFORMAT='%U %S'
	shift
	timeout 3 perf bench sched pipe -l 100000000 >/dev/null 2>&1 &
	{ time "$@" -o own.out -- sleep 2 >/dev/null 2>&1; } 2>time.out
	wait
	case $recorder in
	perf*) "$CDICT" convert -q --max-loss 100 -i own.out -o own.cdict ;;
	*) mv own.out own.cdict ;;
	esac
	awk -v n="$(events own.cdict)" '{ print 1e6 * ($1 + $2) / n }' time.out >>"$recorder.own"
	rm -f own.out own.out.old own.cdict
}

# owns NAME OPTIONS... - the same for both recorders, with the same events and buffers
owns() {
	local name=$1 i
	shift
	rm -f ./*.own
	for ((i = 0; i < ROUNDS / 2 + 1; i++)); do
		((i % 2)) || own perf perf record -q -a -m 16M -e 'sched:*' "$@"
		own cdict "$CDICT" record -q -m 16M -e 'sched:*' "$@"
		((i % 2 == 0)) || own perf perf record -q -a -m 16M -e 'sched:*' "$@"
	done
	read -r low ratio high <<<"$(ratios own perf)"
	note "$name: the recorder's CPU for a million events, s: cdict" "$(median <cdict.own)"
	note "$name: the same, perf (-m 16M, writes what cdict encodes)" "$(median <perf.own)"
	note "$name: ours of perf's" "$ratio" "($low-$high)"
}

dir=$(mktemp -d "${RECORD_DIR:-${TMPDIR:-/var/tmp}}/cdict-record.XXXXXX") && cd "$dir" || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
if ! perf record -q -e sched:sched_switch -a -o may.data -- true >/dev/null 2>&1; then
	note "live recording of a switch storm" - "skipped: perf may not record here"
	exit 0
fi
storm "sched messaging" perf bench sched messaging -g 10 -l 300
storm "sched pipe on one CPU" taskset -c 0 perf bench sched pipe -l 60000
storm "sched pipe on two CPUs" "$here/apart.sh" perf bench sched pipe -l 30000
# Left to the kernel, the two tasks are sometimes on one CPU and sometimes on two, where a step takes ten times as long: an
# idle CPU must be woken, in a VM by the host. They share a CPU while something else keeps the other CPU busy. perf, which
# writes half of 16 MB at a time, causes that most often, so the load can be faster under perf than alone; a recorder with
# less work cannot reproduce that. The two cases above, with fixed placement, show the cost per event.
storm "sched pipe" perf bench sched pipe -l 40000
owns "record, pipe"
owns "record -g, pipe" -g
[ $missed -eq 0 ] || [ -z "${STRICT:-}" ] || exit 1
