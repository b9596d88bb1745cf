#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Public recordings, findings of public fuzzers, and inputs modelled on bug reports of other tools: `cdict
# convert` ends soon with status 0, 1 or 2, prints a few lines that name the file, keeps an existing output if it fails,
# and prints the same scheduler events as perf, if perf prints any; with -e '*:*' all tracepoints. trace.dat files are compared
# with trace-cmd report (I/O traces: oracle/exchange/pfw), folded stacks with the file itself.
set -u
. "$TOP/tests/oracle/_lib.sh"

# Messages of convert: at most six lines, each with the file's name, except the closing lines.
check_words() {
	local lines
	lines=$(wc -l <convert.err)
	[ "$lines" -le 6 ] || echo "$lines lines on stderr"
	grep -vF "cdict convert: $1: " convert.err | grep -v '^\[ cdict convert: .* \]$' |
		sed 's/^/this line does not name the file: /'
	LC_ALL=C grep -n '[^[:print:]]' convert.err | sed 's/^/not printable: /'
}

check_failed() {
	[ "$(wc -l <convert.err)" -eq 1 ] || echo "status 1 with more than one line"
	[ "$(cat x.cdict)" = "the old output" ] || echo "status 1, and the old output is gone"
}

# Nothing was stored: the reason is given, and the events of the file, unless it has none at all.
check_nothing_stored() {
	grep -q -e 'no events before the damage' -e 'has no tracepoint formats' convert.err && return
	grep -q 'has no events of the requested kind' convert.err || echo "nothing is stored, and no reason is given"
	! grep -q '^\[ cdict convert: not stored' convert.err ||
		grep -q 'it has [0-9]' convert.err || echo "the message does not list its events"
}

check_converted() {
	local status=$1 verify
	"$CDICT" info --verify x.cdict >info.out 2>info.err
	verify=$?
	[ $verify -eq 0 ] || [ "$verify" -eq "$status" ] || [ $verify -eq 2 ] ||
		{ echo "info ends with $verify:"; cat info.err; }
	if grep -q '^\[ cdict convert: 0 events' convert.err; then
		[ "$status" -eq 2 ] || echo "nothing is stored, and the status is $status"
		check_nothing_stored
	fi
}

# Where perf can read it: its sched and kvm lines.
check_lines() {
	local status=$1
	perf_lines "$2" >perf.lines
	[ -s perf.lines ] || return 0
	if [ "$status" -eq 1 ]; then
		echo "perf prints $(wc -l <perf.lines) lines of it"
		return
	fi
	cdict_lines x.cdict >cdict.lines
	differ perf.lines cdict.lines
}

check() {
	local file=$1 status
	find . -mindepth 1 -delete
	echo "the old output" >x.cdict
	timeout -k 5 200 "$CDICT" convert -i "$file" -o x.cdict 2>convert.err >convert.out </dev/null
	status=$?
	# an empty result does not replace an old file: then it is written where no file is
	if grep -q 'kept: the new output is empty' convert.err; then
		rm x.cdict
		timeout -k 5 200 "$CDICT" convert -i "$file" -o x.cdict 2>convert.err >convert.out </dev/null
		status=$?
	fi
	[ ! -e x.cdict.old ] || rm x.cdict.old
	case $status in
	0 | 1 | 2) ;;
	124 | 137) echo "does not end" ;;
	*) echo "ends with $status" ;;
	esac
	[ ! -s convert.out ] || echo "prints to stdout"
	[ "$(ls -A)" = "$(printf '%s\n' convert.err convert.out x.cdict)" ] ||
		echo "leaves files: $(ls -A | tr '\n' ' ')"
	check_words "$file"
	case $status in
	0 | 2) check_converted $status ;;
	1) check_failed ;;
	*) return ;;
	esac
	check_lines $status "$file"
	check_everything $status "$file"
}

# Every tracepoint of the file, where perf can read it. Text after the colon of another event is a modifier.
check_everything() {
	perf_lines "$2" '[A-Za-z0-9_]+:[A-Za-z0-9_]{5,}' >perf.lines
	[ "$1" -ne 1 ] && [ -s perf.lines ] || return 0
	timeout -k 5 200 "$CDICT" convert -q -e '*:*' -i "$2" -o all.cdict 2>convert.err </dev/null || [ $? -eq 2 ] || cat convert.err
	cdict_lines all.cdict >cdict.lines
	differ perf.lines cdict.lines
}

# A trace.dat: its events by their formats.
check_trace_dat() {
	"$CDICT" convert -q --max-loss 100 -e '*:*' -i "$1" -o x.cdict 2>&1
	trace-cmd report -N -t "$1" 2>/dev/null | python3 "$TOP/tests/oracle/perf/_ftrace_lines.py" trace-cmd | sort >theirs
	[ -s theirs ] || echo "trace-cmd report prints nothing"
	"$CDICT" script --max-loss 100 x.cdict 2>&1 | python3 "$TOP/tests/oracle/perf/_ftrace_lines.py" cdict | sort | diff theirs - | head -6
	"$CDICT" convert -q --max-loss 100 -i "$1" -o y.cdict >message 2>&1 || [ $? -le 2 ] || cat message
}

# Folded stacks: except for comments, the same lines are printed again.
check_folded() {
	if ! [ -s "$1" ]; then
		"$CDICT" flame "$1" >message 2>&1
		[ $? -eq 1 ] && [ "$(wc -l <message)" -eq 1 ] || cat message
		return
	fi
	"$CDICT" flame -q --format folded "$1" >got 2>&1
	grep -v '^# ' "$1" | sort | diff - <(sort got) | head -6
	"$CDICT" flame -q --format svg "$1" | python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.stdin)' 2>&1 | tail -1
}

[ -n "$SHARED" ] || { echo "no ../shared with the public captures" >&2; exit 77; }
have_perf || { echo "perf is not installed" >&2; exit 77; }
cd "$(mktemp -d)" || exit 1
while read -r file; do
	name=${file#"$SHARED"/captures/public/}
	verdict "${name%%/*}/${name##*/}" "$(check "$file")"
done < <(find "$SHARED/captures/public" -type f | sort)
for file in "$SHARED"/captures/reports/*.{data,pfw,dat,folded}; do
	[ -e "$file" ] || continue
	case $file in
	*.dat) wrong=$(if command -v trace-cmd >/dev/null; then check_trace_dat "$file"; fi) ;;
	*.folded) wrong=$(check_folded "$file") ;;
	*) wrong=$(check "$file") ;;
	esac
	verdict "reports/${file##*/}" "$wrong"
done
