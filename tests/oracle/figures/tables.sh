#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# needs: jq
# timeout: 600
#
# Properties of the commands' tables for any capture: states, columns and buckets add up to the
# window, to the ns, and every format has the same numbers.
set -u
. "$TOP/tests/oracle/_lib.sh"

# figures NAME COMMAND... - writes the command's output, as JSON, to NAME.json; its messages are dropped
figures() {
	local name=$1
	shift
	"$CDICT" "$@" --max-loss 100 --format json x.cdict >"$name.json" 2>/dev/null || [ $? -eq 2 ] ||
		echo "cdict $* fails"
}

# holds WHAT FILTER - the jq filter must return true; the documents are $tasks, $cells, ... in it.  They
# are collected, and asked of one jq by the function ask.
program=
holds() {
	program+="${program:+, }([try ($2) catch \"fails: \\(.)\"] | select(. != [true]) | \"$1: \\(.)\")"
}
ask() {
	jq -nr --slurpfile tasks tasks.json --slurpfile cells cells.json --slurpfile vcpu vcpu.json \
		--slurpfile switches switches.json --slurpfile latency latency.json "$program" 2>&1
}

add_up() {
	figures tasks tasks
	figures cells coremap
	figures vcpu vcpu
	figures switches switches
	figures latency latency
	ask
}

holds "vCPU states are the window" '$vcpu[0] | .window_ns.length as $w | all(.vcpu[]; $w ==
	.guest_ns + .exit_ns + .qemu_ns + .preempted_ns + .waiting_ns + .halted_ns + .blocked_ns +
	.unknown_ns)'
holds "delayed is preempted and waiting" '$vcpu[0] | all(.vcpu[]; .delayed_ns == .preempted_ns + .waiting_ns)'
holds "a vCPU waits in both tables as long" '($tasks[0].tasks | map({key: "\(.tid)/\(.pid)", value: .delayed_ns}) | from_entries) as $waited |
	all($vcpu[0].vcpu[]; .delayed_ns == $waited["\(.tid)/\(.pid)"])'
holds "antagonists are at most the delay" '$vcpu[0] | [.antagonists[] | {k: "\(.tid)/\(.pid)", ns: .behind_ns}] |
	group_by(.k) | map({key: .[0].k, value: (map(.ns) | add)}) | from_entries as $behind_sum |
	([$vcpu[0].vcpu[] | {k: "\(.tid)/\(.pid)", ns: .delayed_ns}] | group_by(.k) |
		map({key: .[0].k, value: (map(.ns) | add)}) | from_entries) as $delayed |
	all($behind_sum | to_entries[]; .value <= $delayed[.key])'
holds "delays by cause add up to the delay" '$vcpu[0] | (.delays | map(.behind_ns) | add // 0) == (.vcpu | map(.delayed_ns) | add // 0) and
	all(.delays[]; .behind_ns == .preempted_ns + .waiting_ns and (.worst_held_ns // 0) <= (.worst_ns // 0)) and
	all(.delays | group_by(.vm)[]; (map(.behind_ns) | add) == .[0].vm_delayed_ns)'
holds "times beside other tasks add up to the time in the guest" '$vcpu[0] | (.beside | map(.beside_ns) | add // 0) == (if .beside == [] then 0 else .vcpu | map(.guest_ns) | add end) and
	all(.beside | group_by(.vm)[]; (map(.beside_ns) | add) == .[0].vm_beside_ns)'
holds "the worst wait behind another task is a wait" '$vcpu[0] | (.delays | map(.worst_ns // 0) | max // 0) <= (.vcpu | map(.worst_ns // 0) | max // 0)'
holds "the reasons are the exits" '$vcpu[0] | (.vcpu | map(.exit_ns) | add // 0) == (.reasons | map(.exit_ns) | add // 0)'
holds "core map columns are the window" '$cells[0] | .window_ns.length as $w | .capture.cpus as $n |
	(.coremap | group_by(.cpu) | map({cpu: .[0].cpu, ns: (map(.run_ns) | add), percent: (map(.run_percent) | add)})) as $columns |
	($columns | length) == (if $w > 0 then $n else 0 end) and all($columns[]; .ns == $w and (.percent - 100 | fabs) < 1e-6)'
holds "busy, idle and unknown are the window" '$cells[0] | .window_ns.length as $w |
	all(.cpus[]; .busy_ns + .idle_ns + .unknown_ns == $w)'
holds "tasks, IDLE and unknown are all CPUs" '$tasks[0] | (.tasks | map(.run_ns) | add // 0) + .loss.unknown_ns ==
	.window_ns.length * .capture.cpus'
holds "tasks are the core map" '($tasks[0].tasks | map({key: "\(.tid)/\(.pid)/\(.comm)/\(if .idle == 1 then .cpu else "" end)", ns: .run_ns}) |
	group_by(.key) | map([.[0].key, (map(.ns) | add)] | select(.[1] > 0))) ==
	($cells[0].coremap | map(select(.unknown == 0) | {key: "\(.tid)/\(.pid)/\(.comm)/\(if .tid == 0 then .cpu else "" end)", ns: .run_ns}) |
	group_by(.key) | map([.[0].key, (map(.ns) | add)] | select(.[1] > 0)))'
holds "every table knows the same" '[$tasks, $cells, $vcpu, $switches, $latency] | map(.[0].loss.unknown_ns) | unique | length == 1'
holds "switches are the same everywhere" '($tasks[0].tasks | map(.switches) | add // 0) as $n |
	$n == ($switches[0].switches | map(.switches) | add // 0) and $n == ($cells[0].cpus | map(.switches) | add // 0)'
holds "buckets are the window" '$switches[0] | .window_ns.length as $w | all(.switches | group_by(.cpu)[];
	(map(.length_ns) | add) == $w)'
holds "at most 20 buckets, and the last instant" '$switches[0] | all(.switches | group_by(.cpu)[]; length <= 21)'
holds "latency is that of tasks" '($latency[0].latency | map(select(.latency_count > 0) | .latency_ns / .latency_count | floor) | sort) ==
	($tasks[0].tasks | map(select(.latency_avg_ns and .idle == 0).latency_avg_ns) | sort)'
holds "the total is the sum" '$latency[0] | (.latency | map(.latency_count) | add // 0) == (.total.latency_count // 0)'

# Text, CSV, JSON (what add_up asked) and Markdown have the same rows, and in text and Markdown the
# same cells: of one capture two commands, of the next the others (EVERY=1: all).
turn=0
same() {
	local command n=$turn
	for command in tasks latency vcpu switches; do
		in_sample $((n += 1)) 2 || continue
		"$CDICT" $command --max-loss 100 --format csv x.cdict 2>/dev/null | tr -d '\r' >x.csv
		jq -r --arg key $command '.[$key] | (.[0] // {} | keys_unsorted | map(select(. != "row"))) as $keys |
			if length > 0 then ($keys | join(",")) else empty end,
			(.[] | [.[$keys[]]] | map(if . == null then "" else tostring end) | join(","))' $command.json >x.json.csv
		# quoted cells and percentages of ten digits are the only difference there may be
		if [ -s x.json.csv ]; then
			tr -d '"' <x.csv | normal >x.csv.cells
			tr -d '"' <x.json.csv | normal >x.json.cells
			cmp -s x.csv.cells x.json.cells ||
				{ echo "$command: CSV and JSON differ"; diff x.csv.cells x.json.cells | head -n 4; }
		fi
		"$CDICT" $command --max-loss 100 x.cdict 2>/dev/null | sed '/^latency from/,/^$/d' >x.text
		"$CDICT" $command --max-loss 100 --format md x.cdict 2>/dev/null >x.md
		# every line of a table: its cells, without what frames them
		sed -n 's/^| \(.*\) |$/\1/p' x.md | grep -v '^---' | sed 's/\*\*//g;s/\\//g' | tr -d ' |' | sort >x.md.cells
		sed 's/\\//g' x.text | tr -d ' |' | sort >x.text.cells
		comm -23 x.md.cells x.text.cells | grep . >x.only && { echo "$command: Markdown alone has"; head -n 3 x.only; }
	done
}

# Numbers to six digits after the point, however many they were written with.
normal() {
	awk -F, -v OFS=, '{
		for (i = 1; i <= NF; i++)
			if ($i ~ /^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$/) $i = sprintf("%.6f", $i)
		print
	}'
}

check() { # NAME PERF.DATA
	rm -f x.* -- *.json
	rm -f x.cdict
	"$CDICT" convert -q --max-loss 100 -i "$2" -o x.cdict 2>convert.err </dev/null
	if [ ! -s x.cdict ]; then
		fail "tables-$1" <convert.err
		return
	fi
	verdict "tables-$1" "$(add_up; same)"
	turn=$((turn + 1))
}

while IFS= read -r data; do
	check "$(basename "$data" .data)" "$data"
done < <(real_captures)
for trace in "$DATA"/*.trace; do
	"$MKPERF" -o trace.data "$trace" 2>mkperf.err || { fail "tables-$(basename "$trace")" <mkperf.err; continue; }
	check "$(basename "$trace")" trace.data
done
