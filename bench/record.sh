#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# What live recording costs beside perf record of the same events: how much slower the recorded load
# becomes, the recorder's CPU, bytes written, events lost. Runs are paired: perf and cdict one after the
# other, now the one first and now the other; the load alone before every second pair.
#
#   bench/record.sh             also called by bench/run.sh; prints lines of its table
#
# Environment: CDICT the program, RUNS=5 (2 * RUNS + 1 pairs), STRICT=1: status 1 when a "must" is missed,
#   RECORD_DIR=dir where to write (a disk's, not a tmpfs: perf writes hundreds of megabytes)
set -u
export LC_ALL=C
CDICT=${CDICT:-$PWD/build/cdict}
RUNS=${RUNS:-5}
PAIRS=$((2 * RUNS + 1))
events='sched:*,kvm:*'
missed=0

[ -x "$CDICT" ] || { echo "record.sh: there is no program $CDICT" >&2; exit 1; }

calc() { awk "BEGIN { printf \"%.${2-3}f\", ($1) }"; }
holds() { awk "BEGIN { exit !($1) }"; }
median() { sort -n | awk '{ v[NR] = $1 } END { if (NR) print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }
line() { printf '%-66s %10s %8s %8s  %s\n' "$@"; }
note() { line "$1" "$2" - - "${3-}"; }

# seconds WHO LOAD... - the load's own account of its time goes to WHO.time
seconds() {
	local who=$1
	shift
	"$@" 2>"$who.err" | sed -n 's/^ *Total time: *\([0-9.]*\) .*/\1/p' >>"$who.time"
}
# cpu WHO COMMAND... - CPU seconds of it and its children to WHO.cpu: the load's is taken off later
cpu() {
	local who=$1 TIMEFORMAT='%U %S'
	shift
	{ time "$@"; } 2>time.out
	tail -n 1 time.out | awk '{ print $1 + $2 }' >>"$who.cpu"
}

with_perf() { perf record -q -e "$events" -a -m 16M -o perf.data -- "$@"; }
with_cdict() { "$CDICT" record -v --all -m 16M -o x.cdict -- "$@"; }
alone() { "$@"; }

perf_lost() { "$CDICT" convert -q --max-loss 100 -i perf.data -o lost.cdict; lost lost.cdict; }
lost() { "$CDICT" info -q --max-loss 100 --format json "$1" | sed -n 's/^ *"lost": \([0-9]*\),*$/\1/p'; }

under_perf() {
	cpu perf seconds perf with_perf "$@"
	n_perf=$((n_perf + $(perf_lost)))
}
under_cdict() {
	cpu cdict seconds cdict with_cdict "$@"
	sed -n 's/.*itself used \([0-9.]*\) s of CPU.*/\1/p' cdict.err >>cdict.own
	n_cdict=$((n_cdict + $(lost x.cdict)))
}

# ratios NAME - ours through perf's, pair by pair: "LOW MEDIAN HIGH". As many of the lowest and of the highest are
# left out as the 95 % interval of a median leaves out (order statistics of the binomial distribution).
ratios() {
	paste -d' ' "cdict.$1" "perf.$1" | awk '{ print $1 / $2 }' | sort -n | awk '
		{ v[NR] = $1 }
		END {
			p = 0.5 ^ NR; below = 0
			for (k = 0; below + p <= 0.025; k++) { below += p; p = p * (NR - k) / (k + 1) }
			k = k ? k : 1
			printf "%.3f %.3f %.3f\n", v[k], (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2, v[NR + 1 - k]
		}'
}

# slower NAME WHAT - judges the time the load takes; the interval says what is noise
slower() {
	local low ratio high verdict
	read -r low ratio high <<<"$(ratios time)"
	verdict=MISSED
	! holds "$ratio <= 1.0" || verdict=ok
	! holds "$ratio <= 0.9" || verdict="ok, aim"
	[ "$verdict" != MISSED ] || missed=$((missed + 1))
	line "$1: time / perf's ($2)" "$ratio" 1.0 0.9 "$verdict"
	note "$1: 95 % of that median, $PAIRS pairs" "$low-$high"
}

# storm NAME LOAD...
storm() {
	local name="record, $1" i n_perf=0 n_cdict=0 verdict
	shift
	rm -f ./*.time ./*.cpu ./*.own
	for ((i = 0; i < PAIRS; i++)); do
		if ((i % 2)); then
			under_cdict "$@"
			under_perf "$@"
		else
			cpu none seconds none alone "$@"
			under_perf "$@"
			under_cdict "$@"
		fi
	done
	slower "$name" "$(median <none.time) s alone, $(median <perf.time) s, $(median <cdict.time) s"
	verdict=ok
	[ "$n_cdict" -eq 0 ] || { verdict=MISSED; missed=$((missed + 1)); }
	line "$name: events lost in $PAIRS runs (perf $n_perf)" "$n_cdict" 0 0 "$verdict"
	note "$name: CPU, load too ($(median <none.cpu) s alone, $(median <perf.cpu) s perf)" \
		"$(median <cdict.cpu) s" "cdict itself $(median <cdict.own) s"
	note "$name: bytes written (perf $(stat -c %s perf.data))" "$(stat -c %s x.cdict)"
	rm -f perf.data
}

dir=$(mktemp -d "${RECORD_DIR:-${TMPDIR:-/var/tmp}}/cdict-record.XXXXXX") && cd "$dir" || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
if ! perf record -q -e sched:sched_switch -a -o may.data -- true >/dev/null 2>&1; then
	note "live recording of a switch storm" - "skipped: perf may not record here"
	exit 0
fi
storm "sched messaging" perf bench sched messaging -g 10 -l 300
storm "sched pipe on one CPU" taskset -c 0 perf bench sched pipe -l 150000
# Where the kernel puts the two tasks decides this one, not what an event costs: on two CPUs each step wakes an idle
# CPU, on one it is ten times as fast. A recorder that needs a CPU now and then drives them together: the load is
# often faster under perf record than alone.
storm "sched pipe on any CPU" perf bench sched pipe -l 60000
[ $missed -eq 0 ] || [ -z "${STRICT:-}" ] || exit 1
