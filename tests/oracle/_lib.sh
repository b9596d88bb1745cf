# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What the tests that hold cdict against the real perf have in common; to be sourced.
#
# Environment: CDICT the program, DATA tests/data, MKPERF the tool, SHARED the shared captures or "".
# A test prints `ok NAME`, `not ok NAME` followed by lines that begin with "#", or `skip NAME REASON`.
export LC_ALL=C # lines are bytes: a comm need not be text

pass() { echo "ok $1"; }
skip() { echo "skip $1 $2"; }
# fail NAME <what is wrong
fail() {
	echo "not ok $1"
	head -n 20 | sed 's/^/    # /' | cut -c1-400
}
# verdict NAME WRONG: nothing wrong is a pass
verdict() {
	if [ -z "$2" ]; then pass "$1"; else fail "$1" <<<"$2"; fi
}

have_perf() { command -v perf >/dev/null 2>&1; }

# The lines of events whose name matches the regular expression $1; a line that does not begin
# like an event belongs to the one before it (a text field may hold line ends).
of_events() {
	awk -v want="^($1):" '
		/^ *-?[0-9]+ +\[[0-9]+\] +[0-9]+\.[0-9]+: +[^ ]+: / {
			name = $0
			sub(/^ *-?[0-9]+ +\[[0-9]+\] +[0-9]+\.[0-9]+: +/, "", name)
			keep = name ~ want
		}
		keep'
}

# How wide perf pads is not compared.
squeeze() { sed -e 's/  */ /g' -e 's/^ //' -e 's/ $//'; }

# perf_lines FILE [EVENTS] - what perf prints of it, sched and kvm events or those named; perf's
# own words go to perf.err.  Without --hide-call-graph perf prints the call chains of a pipe
# although -F does not ask for them.
perf_lines() {
	perf script --guest-code --ns --hide-call-graph -F tid,cpu,time,event,trace -i "$1" \
		2>perf.err </dev/null | of_events "${2-(sched|kvm):.*}" | squeeze
}

# cdict_lines FILE - what cdict prints of a cdict, whatever was lost; its status is the result.
cdict_lines() {
	"$CDICT" script --max-loss 100 "$1" 2>script.err >script.out
	local status=$?
	squeeze <script.out
	return $status
}

# Lines of equal time CPU by CPU.  perf reads the files of a directory as readdir gives them.
merge_cpus() {
	sed -n 's/^\(.*\[\([0-9]*\)\] *\([0-9.]*\):.*\)$/\3 \2 \1/p' |
		sort -s -k1,1n -k2,2n | sed 's/^[0-9.]* [0-9]* //'
}

# differ WANT GOT - nothing, or in what they differ.
differ() {
	cmp -s "$1" "$2" && return
	echo "perf prints $(wc -l <"$1") lines, cdict $(wc -l <"$2")"
	diff "$1" "$2" | head -n 6
}

# convert_and_compare FILE [OPTIONS FOR convert...] - nothing, or what is wrong: `cdict convert`
# must end with status 0 and `cdict script` print perf's lines.  $compared, a regular expression,
# names other events; with $by_cpu lines of equal time may come in another order of the CPUs.
convert_and_compare() {
	local input=$1 status
	shift
	rm -f x.cdict
	"$CDICT" convert -q -i "$input" -o x.cdict "$@" 2>convert.err </dev/null
	status=$?
	if [ $status -ne 0 ]; then
		echo "convert ends with $status:"
		cat convert.err
		[ -e x.cdict ] || return
	fi
	perf_lines "$input" ${compared:+"$compared"} >perf.lines
	cdict_lines x.cdict >cdict.lines || { echo "script ends with $?:"; cat script.err; }
	if [ ! -s perf.lines ]; then
		echo "perf prints nothing: $(tail -n 2 perf.err)"
		return
	fi
	if [ -n "${by_cpu:-}" ] && ! cmp -s perf.lines cdict.lines; then
		merge_cpus <perf.lines >perf.merged
		merge_cpus <cdict.lines >cdict.merged
		differ perf.merged cdict.merged
	else
		differ perf.lines cdict.lines
	fi
}
