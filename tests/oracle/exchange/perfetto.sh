#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Exported Perfetto traces follow the published rules, and have exactly the contents of the capture.
# needs: python3 jq
# timeout: 600
set -u
. "$TOP/tests/oracle/_lib.sh"
cd "$(mktemp -d)" || exit 1
check() { python3 "$TOP/tests/oracle/exchange/_lib/perfetto_check.py" "$@" 2>&1; }
rules() { check "$1" | grep -v '^ok$'; }

# export_of CAPTURE OPTIONS... - into x.pftrace
export_of() {
	"$CDICT" export -q --max-loss 100 "$@" -o x.pftrace 2>&1
}

# whole NAME CDICT - all of a capture without losses
whole() {
	export_of "$2"
	rules x.pftrace
	check --slices x.pftrace >slices.txt
	"$CDICT" script -q --ns -F tid,cpu,time,event,trace "$2" >script.txt
	unpaired=$("$CDICT" exits -q --format json "$2" | jq '[.exits[].unpaired] | add // 0')
	python3 "$TOP/tests/oracle/exchange/_lib/by_script.py" script.txt slices.txt "$unpaired" 2>&1
	# the figures of other commands are sums of the exported rows
	diff <("$CDICT" exits -q --format json "$2" | jq -r '.exits[] | select(.time_ns > 0) | "\(.tid) \(.reason) \(.time_ns)"' | sort) \
		<(awk '$1 == "exit" { ns[$4 " " $5] += $3 } END { for (k in ns) printf "%s %.0f\n", k, ns[k] }' slices.txt | sort) | head -n 6
	diff <("$CDICT" tasks -q --format json "$2" | jq -r '.tasks[] | select(.run_ns > 0 and .tid > 0) | "\(.tid) \(.run_ns)"' | sort) \
		<(awk '$1 == "run" && $5 > 0 && $5 < 4194304 { ns[$5] += $4 } END { for (k in ns) if (ns[k]) printf "%.0f %.0f\n", k, ns[k] }' slices.txt | sort) | head -n 6
}

for file in $(real_captures); do
	name=$(basename "$file" .data)
	is_large "$file" && continue
	"$CDICT" convert -q --max-loss 100 -i "$file" -o x.cdict 2>/dev/null || continue
	[ "$("$CDICT" info -q --max-loss 100 x.cdict --format json | jq '.loss.lost + .loss.unreadable')" = 0 ] || continue
	verdict "perfetto_$name" "$(whole "$name" x.cdict)"
done

# ---- synthetic captures: the rules also hold in unusual cases ----
for trace in "$DATA"/*.trace; do
	name=$(basename "$trace" .trace)
	"$MKPERF" --formats "$DATA/formats" -o t.data "$trace" 2>/dev/null &&
		"$CDICT" convert -q --max-loss 100 -i t.data -o "$name.cdict" 2>/dev/null
	[ -s "$name.cdict" ] || continue
	"$CDICT" info -q --max-loss 100 "$name.cdict" --format json | jq -e '.events > 0' >/dev/null || continue
	verdict "perfetto_rules_of_$name" "$(export_of "$name.cdict" && rules x.pftrace)"
done
