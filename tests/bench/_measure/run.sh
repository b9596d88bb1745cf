#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The cost of cdict, compared with perf on the same capture in the same run: the table of DESIGN section 9.
#
#   make bench                    records about 8 million scheduler events of its own
#   make bench CAPTURE=file       measures on that perf.data instead
#
# Environment:
#   RUNS=5         runs of each command, alternating; medians are printed
#   FAST=1         three runs, and no zstd -19 of large files
#   STRICT=1       exit with status 1 if a "must" is missed
#   BENCH_DIR=dir  keep the recordings there, and reuse existing ones
#   EVENTS=8000000 number of events to record
#
# CPU is user + system time.  A ratio 1/N means that perf takes N times as much.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/bench/_measure/_traces.sh
export LC_ALL=C TZ=UTC
export CDICT=${CDICT:-$PWD/build/cdict}
CAPTURE=${CAPTURE:-}
FAST=${FAST:-}
RUNS=${RUNS:-$([ -n "$FAST" ] && echo 3 || echo 5)}
EVENTS=${EVENTS:-8000000}
NEEDED_MB=4000 # on disk: two recordings of 900 MB, and room for perf
SHARED=
[ -d ../shared/captures ] && SHARED=$(cd ../shared && pwd)
missed=0
load=$(cut -d' ' -f1 /proc/loadavg)

say() { echo "bench: $*" >&2; }
die() {
	say "$*"
	exit 1
}

# ---- numbers ------------------------------------------------------------------------------------

calc() { awk "BEGIN { printf \"%.${2-3}f\", ($1) }"; }
holds() { awk "BEGIN { exit !($1) }"; }
median() { sort -n | awk '{ v[NR] = $1 } END { if (NR) print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }
thousands() { sed -e :a -e 's/\(.*[0-9]\)\([0-9]\{3\}\)/\1,\2/;ta' <<<"$1"; }

# measure NAME COMMAND... - runs it once; appends wall and CPU seconds to NAME.wall and NAME.cpu.
measure() {
	local name=$1 status
	local TIMEFORMAT='%3R %3U %3S'
	shift
	{ time "$@" >/dev/null 2>command.err </dev/null; } 2>time.out
	status=$?
	[ $status -eq 0 ] || say "$* exits with status $status: $(tail -n 1 command.err)"
	awk '{ print $1 }' time.out >>"$name.wall"
	awk '{ print $2 + $3 }' time.out >>"$name.cpu"
}
wall() { median <"$1.wall"; }
cpu() { median <"$1.cpu"; }

size_of() { stat -c %s "$1"; }

# ---- the table ----------------------------------------------------------------------------------

line() { printf '%-66s %10s %8s %8s  %s\n' "$@"; }

# judge GOOD-FOR-MUST GOOD-FOR-AIM - evaluates two conditions
judge() {
	if holds "$2"; then
		echo "ok, aim"
	elif holds "$1"; then
		echo "ok"
	else
		echo "MISSED"
	fi
}

# speed WHAT PERF OURS MUST AIM - perf's time divided by ours
speed() {
	local n verdict
	n=$(calc "$2 / ($3 + 1e-9)" 1)
	verdict=$(judge "$n >= $4" "$n >= $5")
	[ "$verdict" != MISSED ] || missed=$((missed + 1))
	line "$1" "1/$n" "1/$4" "1/$5" "$verdict"
}

# at_most WHAT VALUE MUST AIM [DIGITS] [UNIT]; AIM may be empty
at_most() {
	local verdict unit=${6-}
	verdict=$(judge "$2 <= $3" "$2 <= ${4:--1}")
	[ "$verdict" != MISSED ] || missed=$((missed + 1))
	line "$1" "$(calc "$2" "${5-2}")$unit" "$3" "${4:--}" "$verdict"
}

note() { line "$1" "$2" - - "${3-}"; }

# ---- recordings ---------------------------------------------------------------------------------

may_record() {
	perf record -q -e sched:sched_switch -a -o probe.data -- true >/dev/null 2>&1
}

# lost FILE - number of lost events (perf report --stats cannot read pipe format)
lost() {
	"$CDICT" convert -i "$1" -o lost.cdict 2>&1 | sed -n 's/.* \([0-9,]*\) lost \]$/\1/p' | tr -d ,
}
samples() {
	perf report --stats -f -i "$1" 2>/dev/null | awk '/SAMPLE events:/ { print $3; exit }'
}

# record OUT LOOPS - records the load, to a file, or in pipe format when the name ends in .pipe; retries with larger
# buffers if events were lost.
record() {
	local out=$1 loops=$2 buffer n_lost to=$1
	[ "${out%.pipe}" = "$out" ] || to=-
	for buffer in 64M 256M 512M; do
		say "recording $out: perf bench sched messaging -g 10 -l $loops, perf record -m $buffer"
		perf record -q -m $buffer -e 'sched:*' -a -o "$to" -- \
			perf bench sched messaging -g 10 -l "$loops" >"$out.tmp" 2>record.err
		if [ "$to" = - ]; then mv "$out.tmp" "$out"; else rm "$out.tmp"; fi
		n_lost=$(lost "$out")
		[ "${n_lost:-0}" -gt 0 ] || return 0
		say "$n_lost events were lost with -m $buffer"
	done
}

# The small capture determines the number of loops for the large one; the load varies.
record_captures() {
	local loops n
	if [ ! -s small.data ]; then record small.data $((EVENTS / 6400)); fi
	n=$(samples small.data)
	loops=$(calc "$EVENTS / $n * $EVENTS / 6400" 0)
	if [ ! -s big.data ]; then
		record big.data "$loops"
		n=$(samples big.data)
		if holds "$n < 0.9 * $EVENTS"; then
			loops=$(calc "$loops * $EVENTS / $n" 0)
			record big.data "$loops"
		fi
	fi
	[ -s big.pipe ] || record big.pipe "$loops"
}

choose_capture() {
	small='' pipe=''
	if [ -n "$CAPTURE" ]; then
		big=$CAPTURE
		[ "$(od -An -tu1 -j8 -N1 <"$big")" -eq 16 ] && pipe=$big
	elif may_record; then
		[ -n "${BENCH_DIR:-}" ] || enough_space
		record_captures
		big=$PWD/big.data small=$PWD/small.data pipe=$PWD/big.pipe
	else
		say "perf may not record here; measuring a small capture instead"
		big=$top/tests/data/kvm-small.data
		[ -z "$SHARED" ] || big=$SHARED/captures/kvm/kvm-libvirt.data
	fi
}

enough_space() {
	local free
	free=$(df -Pm . | awk 'NR == 2 { print $4 }')
	[ "$free" -ge $NEEDED_MB ] || die "$PWD has $free MB free, the recordings need $NEEDED_MB"
}

# ---- measurements -------------------------------------------------------------------------------

has_command() { "$CDICT" help | grep -q "^  $1  "; }

perf_script() { perf script -f -F tid,cpu,time,event,trace -i "$big"; }
perf_timehist() { perf sched timehist -f --summary -i "$big"; }
# shellcheck disable=SC2120 # measure passes options
convert() { "$CDICT" convert -q -i "$big" -o big.cdict "$@"; }

export_parquet() {
	rm -rf big.parquet
	"$CDICT" export -q --to parquet -o big.parquet "${1-big.cdict}"
}

# All tables that need no task.
TABLES="tasks exits vcpu latency coremap switches"

in_turns() {
	local i
	cat "$big" >/dev/null # into the page cache
	for ((i = 0; i < RUNS; i++)); do
		say "run $((i + 1)) of $RUNS"
		measure perf perf_script
		measure convert convert
		measure convert1 convert -j1
		measure convert2 convert -j2
		measure timehist perf_timehist
		measure stats "$CDICT" stats big.cdict
		measure stats2 "$CDICT" stats -j2 big.cdict
		measure parquet export_parquet
		measure script "$CDICT" script big.cdict
		for command in $TABLES; do
			measure "$command" "$CDICT" "$command" big.cdict
		done
		! has_command report || measure report "$CDICT" report big.cdict -o big.html
	done
}

convert_rows() {
	local perf_cpu
	perf_cpu=$(cpu perf)
	speed "convert, CPU against perf script ($(cpu convert) s : $perf_cpu s)" \
		"$perf_cpu" "$(cpu convert)" 15 25
	speed "the same with -j1 ($(cpu convert1) s)" "$perf_cpu" "$(cpu convert1)" 15 25
	if [ "$(nproc)" -gt 1 ]; then
		speed "convert -j2, wall against perf script ($(wall convert2) s : $(wall perf) s)" \
			"$(wall perf)" "$(wall convert2)" 25 40
	else
		note "convert, wall with two cores" - "this machine has one"
	fi
	note "events per second, -j$(nproc), wall" \
		"$(calc "$events / $(wall convert) / 1e6" 1)M" "$(calc "$(size_of "$big") / $(wall convert) / 1e6" 0) MB/s"
}

script_row() {
	speed "cdict script, CPU against perf script ($(cpu script) s)" "$(cpu perf)" "$(cpu script)" 6 6
}

zstd_size() { # FILE THREADS
	local kept
	kept=$(basename "$1").zst19
	if [ ! "$kept" -nt "$1" ] || [ ! -s "$kept" ]; then
		zstd -19 "-T$2" -q -c "$1" | wc -c >"$kept"
	fi
	cat "$kept"
}

size_rows() {
	local compressed
	if [ -n "$small" ]; then
		at_most "bytes per event, scheduler capture" \
			"$(calc "$(size_of big.cdict) / $events")" 3.0 2.6
	else
		note "bytes per event" "$(calc "$(size_of big.cdict) / $events" 2)"
	fi
	if [ -n "$FAST" ]; then
		note "size against zstd -19 of the perf.data" - "skipped: FAST=1"
	elif [ -n "$small" ]; then
		say "zstd -19 of $(basename "$big"), minutes"
		compressed=$(zstd_size "$big" 0)
		at_most "size against zstd -19, scheduler capture" \
			"$(calc "$(size_of big.cdict) / $compressed")" 0.5 0.35
	fi
}

kvm_size_rows() {
	local capture name folder=$top/tests/data
	[ -z "$SHARED" ] || folder=$SHARED/captures/kvm
	for capture in "$folder"/kvm-*.data; do
		name=$(basename "$capture" .data)
		if [ -n "$FAST" ] && [ "$(size_of "$capture")" -gt 5000000 ]; then
			note "size against zstd -19, $name" - "skipped: FAST=1"
			continue
		fi
		"$CDICT" convert -q -i "$capture" -o kvm.cdict || say "$name: status $?"
		at_most "size against zstd -19, $name ($(calc "$(size_of kvm.cdict) / $("$CDICT" script -q kvm.cdict | wc -l)" 2) B/event)" \
			"$(calc "$(size_of kvm.cdict) / $(zstd_size "$capture" 1)")" 0.65 0.5
	done
}

memory_row() {
	local tasks peak limit i
	if [ -z "$pipe" ]; then
		note "peak memory converting from a pipe" - "skipped: no pipe-mode capture"
		return
	fi
	if [ ! -x /usr/bin/time ]; then
		note "peak memory converting from a pipe" - "skipped: no /usr/bin/time (package time)"
		return
	fi
	rm -f peaks
	for ((i = 0; i < RUNS; i++)); do # it depends on which process is faster: the worst counts
		# shellcheck disable=SC2002 # a pipe is measured
		cat "$pipe" | /usr/bin/time -f %M -o peak "$CDICT" convert -q -i - -o pipe.cdict
		tail -n 1 peak >>peaks
	done
	peak=$(sort -n peaks | tail -n 1)
	tasks=$("$CDICT" tasks --format csv pipe.cdict | tail -n +2 | wc -l)
	limit=$(calc "64 + 200 * $tasks / 1048576" 1)
	at_most "most memory of $RUNS runs, pipe of $(calc "$(size_of "$pipe") / 1e6" 0) MB, $tasks tasks, MiB" \
		"$(calc "$peak / 1024")" "$limit" "" 1
}

cost_row() {
	local i few per_few per_many
	if [ -z "$small" ]; then
		note "cost per event, 1 M and 8 M events" - "skipped: one capture only"
		return
	fi
	for ((i = 0; i < RUNS; i++)); do
		measure small "$CDICT" convert -q -j1 -i "$small" -o small.cdict
		measure big convert -j1
	done
	few=$(samples "$small")
	per_few=$(calc "1e9 * $(cpu small) / $few" 1)
	per_many=$(calc "1e9 * $(cpu big) / $events" 1)
	at_most "cost per event: $per_few ns of $(thousands "$few"), $per_many ns of all, ratio" \
		"$(calc "$per_many / $per_few")" 1.1 "" 2
}

# window_row WHAT COMMAND... - milliseconds of wall time, including process start
window_row() {
	local what=$1 i begin
	shift
	rm -f window
	for ((i = 0; i < 21; i++)); do
		begin=$EPOCHREALTIME
		"$@" >window.out
		calc "($EPOCHREALTIME - $begin) * 1000" 3 >>window
		echo >>window
	done
	at_most "10 ms window, $what, ms" "$(median <window)" 20 5 1
}

window_rows() {
	local first last middle
	first=$("$CDICT" info big.cdict | awk '/^first event/ { print $3 }')
	last=$("$CDICT" info big.cdict | awk '/^last event/ { print $3 }')
	middle=$(calc "($first + $last) / 2" 6)
	window_row "cdict script ($("$CDICT" script --time "$middle,$(calc "$middle + 0.01" 6)" big.cdict | wc -l) events)" \
		"$CDICT" script --time "$middle,$(calc "$middle + 0.01" 6)" big.cdict
	window_row "cdict tasks" "$CDICT" tasks --time "$middle,$(calc "$middle + 0.01" 6)" big.cdict
}

table_rows() {
	local timehist
	timehist=$(cpu timehist)
	at_most "all tables (cdict stats), CPU against timehist --summary ($timehist s)" \
		"$(calc "$(cpu stats) / ($timehist + 1e-9)")" 1 0.5
	for command in $TABLES; do
		at_most "cdict $command alone, against the same" \
			"$(calc "$(cpu "$command") / ($timehist + 1e-9)")" 1 0.5
	done
	[ "$(nproc)" -lt 2 ] || at_most "cdict stats -j2, wall against one thread ($(wall stats) s)" \
		"$(calc "$(wall stats2) / ($(wall stats) + 1e-9)")" 0.65 ""
	if has_command report; then
		at_most "full HTML report, CPU against the same" \
			"$(calc "$(cpu report) / ($timehist + 1e-9)")" 1 0.5
	else
		note "full HTML report" - "skipped: no such command yet"
	fi
	at_most "all tables as Parquet files ($(du -Dsm big.parquet | cut -f1) MB), CPU against cdict stats ($(cpu stats) s)" \
		"$(calc "$(cpu parquet) / ($(cpu stats) + 1e-9)")" 3 ""
	slices_row
	rm -rf big.parquet
	RUNS=$RUNS STRICT=1 RECORD_DIR=$PWD "$top/tests/bench/_measure/record.sh" || missed=$((missed + 1))
	STRICT=1 "$top/tests/bench/_measure/fleet.sh" || missed=$((missed + 1))
	STRICT=1 "$top/tests/bench/_measure/guests.sh" || missed=$((missed + 1))
}

# The same for made-up switches: 10 million slices, 20 million events.
slices_row() {
	local slices=10000000 i
	[ -z "$FAST" ] || slices=1000000
	"$MKSWITCHES" "$top/tests/data/formats" slices.cdict $((2 * slices)) || return
	for ((i = 0; i < 3; i++)); do
		measure slices_stats "$CDICT" stats slices.cdict
		measure slices_parquet export_parquet slices.cdict
	done
	at_most "the same of $(thousands $slices) slices (stats $(cpu slices_stats) s)" \
		"$(calc "$(cpu slices_parquet) / ($(cpu slices_stats) + 1e-9)")" 3 ""
	rm -f slices.cdict
}

# The cost of the large capture's page in a browser.
page_rows() {
	local figures number
	has_command report || return
	at_most "size of the page, against 1.4 x cdict + 1.5 MB" \
		"$(calc "$(size_of big.html) / (1.4 * $(size_of big.cdict) + 1.5e6)")" 1 ""
	if ! command -v chromium >/dev/null || ! command -v node >/dev/null; then
		note "the page in a browser" - "skipped: needs chromium and node"
		return
	fi
	figures=$(node "$top/tests/page/_lib/speed.mjs" big.html)
	number() { sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p" <<<"$figures"; }
	at_most "page of all events in Chromium: first view, ms" "$(number first_view_ms)" 2000 "" 0
	note "the same, CPU of the page's thread, ms" "$(number first_view_cpu_ms)"
	at_most "a zoom step, CPU, the worst of all views (median $(number zoom_ms)), ms" "$(number zoom_max_ms)" 50 "" 0
	at_most "figures of the whole capture in the page, against the CPU of cdict stats ($(cpu stats) s)" \
		"$(calc "$(number figures_whole_ms) / 1000 / ($(cpu stats) + 1e-9)")" 2.5 ""
	at_most "the engine's answer for 10 ms of it, CPU, median of 40 places, ms" "$(calc "$(number figures_10ms_us) / 1000" 1)" 20 10 1
	at_most "the same, the worst of them, ms" "$(calc "$(number figures_10ms_worst_us) / 1000" 1)" 20 "" 1
	note "figures of a range of 10 ms, chosen in the page, ms" "$(number range_10ms_ms)"
	note "figures of a tenth of the capture, ms" "$(number range_tenth_ms)"
}

# Python's json gets a sample: for all lines it would take ten times that and more.
python_traces() {
	zcat traces.pfw.gz | head -n $((trace_lines / 10)) |
		python3 -c 'import json, sys
for line in sys.stdin:
	if line[0] == "{": json.loads(line)'
}

# I/O traces: cost per line, gain of two threads, and the cost of the query.
trace_rows() {
	local i
	trace_lines=${FAST:+1000000} trace_lines=${trace_lines:-6000000}
	say "making $trace_lines lines of an I/O trace"
	made_traces "$trace_lines" | gzip -6 >traces.pfw.gz
	zcat traces.pfw.gz | split -l 50000 --filter='gzip -1' >members.pfw.gz
	for ((i = 0; i < RUNS; i++)); do
		measure traces1 "$CDICT" convert -q -j1 traces.pfw.gz -o traces.cdict
		measure traces2 "$CDICT" convert -q -j2 traces.pfw.gz -o traces2.cdict
		measure members2 "$CDICT" convert -q -j2 members.pfw.gz -o members.cdict
		measure json python_traces
		measure active "$CDICT" query -j2 "SELECT * FROM active_sums('file_0')" traces.cdict
	done
	cmp -s traces.cdict traces2.cdict || say "traces: two threads made another file"
	at_most "I/O trace of $(thousands "$trace_lines") lines, us of CPU a line, one thread" \
		"$(calc "$(cpu traces1) / $trace_lines * 1e6")" 1.0 0.8
	speed "the same against json.loads() of Python alone ($(cpu json) s for a tenth)" \
		"$(calc "10 * $(cpu json)")" "$(cpu traces1)" 4 8
	if [ "$(nproc)" -gt 1 ]; then
		at_most "the same with two threads, wall against one ($(wall traces1) s)" \
			"$(calc "$(wall traces2) / $(wall traces1)")" 0.65 0.55
		at_most "the same, gzip members of 50,000 lines" "$(calc "$(wall members2) / $(wall traces1)")" 0.65 0.55
	fi
	at_most "what else went on while files were active, two threads, s for 6 M events" \
		"$(calc "$(wall active) * 6000000 / $trace_lines")" 1.0 0.5
	rm -f traces*.pfw.gz members.pfw.gz traces*.cdict members.cdict
}

heading() {
	echo "machine   $(nproc) CPUs, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)," \
		"load $load when it began; Linux $(uname -r)"
	echo "versions  $("$CDICT" --version | head -n 1); $(perf --version); $(zstd --version | grep -o 'v[0-9.]*' | head -n 1 | sed 's/^/zstd /')"
	echo "capture   $big, $(thousands "$(size_of "$big")") bytes, $(thousands "$events") events kept"
	echo "          -> $(thousands "$(size_of big.cdict)") bytes; medians of $RUNS runs in turns; CPU = user + system"
	[ "$events" -ge 1000000 ] || echo "          few events: starting the programs weighs on every ratio"
	echo
	line what measured must aim 'ok?'
}

# ---- run ----------------------------------------------------------------------------------------

top=$PWD
for tool in "$CDICT" perf zstd; do
	command -v "$tool" >/dev/null || die "$tool is missing (make setup-test installs the tools)"
done
[ -z "$CAPTURE" ] || CAPTURE=$(readlink -e "$CAPTURE") || die "CAPTURE does not exist"

if [ -n "${BENCH_DIR:-}" ]; then
	mkdir -p "$BENCH_DIR" && cd "$BENCH_DIR" || exit 1
	rm -f ./*.wall ./*.cpu
else
	dir=$(mktemp -d "${TMPDIR:-/var/tmp}/cdict-bench.XXXXXX") && cd "$dir" || exit 1
	trap 'rm -rf "$dir"' EXIT
	trap 'exit 130' INT TERM
fi

choose_capture
# shellcheck disable=SC2119
convert || [ $? -eq 2 ] || die "cdict convert fails"
events=$("$CDICT" info big.cdict | awk '/^events  / { gsub(",", ""); print $2; exit }')
in_turns
heading
convert_rows
script_row
size_rows
kvm_size_rows
memory_row
cost_row
window_rows
table_rows
page_rows
trace_rows
echo
if [ $missed -gt 0 ]; then
	echo "$missed of the \"must\" column missed"
	[ -z "${STRICT:-}" ] || exit 1
else
	echo "every \"must\" that could be measured holds"
fi
