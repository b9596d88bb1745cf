#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 600
# needs: python3 trace-cmd
#
# cdict export -o x.dat: trace-cmd report prints the lines of cdict script, and cdict reads the file again.
set -u
. "$TOP/tests/oracle/_lib.sh"
cd "$(mktemp -d)" || exit 1

# Lines "time tid cpu event fields", sorted. The tid of a task that is being reaped is -1 for perf, and known to ftrace.
as_trace_cmd() {
	trace-cmd report -N -t "$1" >report.txt 2>report.err || echo "trace-cmd report: status $?, $(head -1 report.err)"
	mask_arrays report.txt |
		sed -nE 's/^.*-([0-9]+) +\[([0-9]+)\] +([^ :]+ +)?([0-9]+\.[0-9]+): ([a-zA-Z0-9_]+): *(.*)$/\4 \1 \2 \5 \6/p' |
		sed -E 's/ +$//; s/  +/ /g' | sort
}
as_cdict() {
	"$CDICT" script -q -G --max-loss 100 "$@" >script.txt 2>script.err || cat script.err
	mask_arrays script.txt |
		sed -E 's/^ *(-?[0-9]+) \[([0-9]+)\] +([0-9]+\.[0-9]+): *[a-z_0-9]+:([a-zA-Z0-9_]+): *(.*)$/\3 \1 \2 \4 \5/' |
		sed -E 's/ +$//; s/  +/ /g' | sort
}
export_of() { rm -f t.dat; "$CDICT" export -q --max-loss 100 -o t.dat "$@" 2>export.err || { echo "$1: export ends with $?"; cat export.err; }; }
# same CAPTURE [OPTIONS] - both commands' lines; nothing when they are the same and there are some
same() {
	local name
	name=$(basename "$1")
	export_of "$@"
	as_cdict "$@" >ours.txt
	[ -s ours.txt ] || echo "$name: no event"
	as_trace_cmd t.dat >theirs.txt
	if grep -q '^[0-9.]* -1 ' ours.txt; then
		for file in ours theirs; do cut -d' ' -f1,3- $file.txt | sort >$file.cut && mv $file.cut $file.txt; done
	fi
	diff theirs.txt ours.txt | head -4 | sed "s/^/$name: /"
}

# ---- made-up captures of both byte orders ------------------------------------------------------------

# these have no tracepoint
without=' switch-only switch-per-task '
for order in '' --big-endian; do
	wrong=
	for trace in "$DATA"/*.trace; do
		name=$(basename "$trace" .trace)
		[ "${without/ $name /}" = "$without" ] || continue
		# shellcheck disable=SC2086 # one word or none
		"$MKPERF" $order -o "$name.data" "$trace" 2>mkperf.err || wrong+="$name cannot be made"$'\n'
		wrong+=$(same "$name.data")
	done
	verdict "made_up_captures${order:+_of_another_byte_order}_are_reported_as_script_prints_them" "$wrong"
done

# ---- real ones -----------------------------------------------------------------------------------------

real() { for f in "$DATA"/*.data; do same "$f"; done; }
verdict real_captures_are_reported_as_script_prints_them "$(real)"
if [ -n "$SHARED" ]; then
	shared() {
		local f n=0
		for f in "$SHARED"/captures/kvm/*.data "$SHARED"/captures/vmx/*.data "$SHARED"/captures/public/*.data "$SHARED"/captures/public/*.dat \
			"$SHARED"/captures/public/microsoft+*/src/*/*/*.trace/*.data; do
			[ -f "$f" ] && [ "$(stat -c %s "$f")" -lt 40000000 ] || continue
			in_sample $((n += 1)) 3 || continue
			same "$f"
		done
	}
	verdict shared_captures_are_reported_as_script_prints_them "$(shared)"
else
	skip shared_captures_are_reported_as_script_prints_them "no shared captures"
fi

parts() {
	local f=$DATA/kvm-small.data
	same "$f" --time 20%-60%
	same "$f" -C 1,3
	same "$f" --tid 1054
	same "$f" -t 'KVM|worker'
}
verdict a_part_of_a_capture "$(parts)"

# ---- read again ----------------------------------------------------------------------------------------

again() {
	local f
	for f in "$DATA/kvm-small.data" loss.data new-kernel.data marker-writes.data; do
		export_of "$f"
		as_cdict "$f" >ours.txt
		as_cdict t.dat | diff - ours.txt | head -4 | sed "s/^/$(basename "$f"): /"
	done
	"$CDICT" query -q --max-loss 100 --format csv 'SELECT cpu, sum(events), max(ts + dur) FROM loss GROUP BY cpu' loss.data >want
	export_of loss.data
	"$CDICT" query -q --max-loss 100 --format csv 'SELECT cpu, sum(events), max(ts + dur) FROM loss GROUP BY cpu' t.dat | diff want -
	trace-cmd report t.dat 2>&1 | grep -qx 'CPU:1 \[7 EVENTS DROPPED\]' || echo "trace-cmd reports no loss"
}
verdict cdict_reads_the_file_again_with_its_losses "$(again)"

# The format has no processes; perf began all events only at 544.9974 s, which the trace.dat does not record, so states
# before it differ.
tables() {
	local sql="SELECT tid, count(*), sum(dur) FROM sched_slice JOIN thread USING (utid) WHERE ts > 544998000000 GROUP BY 1;
		SELECT tid, state, count(*), sum(dur) FROM thread_state JOIN thread USING (utid) WHERE ts > 544998000000 GROUP BY 1, 2;
		SELECT tid, reason, count(*), sum(dur) FROM kvm_exit JOIN thread USING (utid) WHERE ts > 544998000000 GROUP BY 1, 2"
	export_of "$DATA/kvm-small.data"
	"$CDICT" query -q --format csv "$sql" "$DATA/kvm-small.data" >want
	[ "$(wc -l <want)" -gt 80 ] || echo "few rows"
	"$CDICT" query -q --format csv "$sql" t.dat | diff want - | head -4
}
verdict figures_of_the_file_are_those_of_the_capture "$(tables)"

# ---- what has no place ---------------------------------------------------------------------------------

left_out() {
	"$CDICT" export -o t.dat "$DATA/kvm-callchain.data" 2>&1 | grep -q 'call chains are left out: a trace.dat has none$' || echo "call chains are not mentioned"
	"$CDICT" convert -q "$DATA/job.pfw" -o job.cdict
	"$CDICT" export -q -o no.dat job.cdict 2>&1 | grep -q 'was converted from I/O traces' || echo "I/O traces are exported"
	[ ! -e no.dat ] || echo "no.dat was written"
	if [ -n "$SHARED" ]; then
		xz -dc "$SHARED/captures/found/x-cpu65535.cdict.xz" >cpus.cdict
		"$CDICT" export -q -o no.dat cpus.cdict 2>&1 | grep -q 'the capture has 65531 CPUs; a trace.dat is written of at most 8192' || echo "65531 CPUs"
	fi
	"$CDICT" export -q --to trace.dat "$DATA/kvm-small.data" -o - >pipe.dat
	export_of "$DATA/kvm-small.data"
	cmp pipe.dat t.dat
}
verdict left_out_parts_are_reported "$(left_out)"
