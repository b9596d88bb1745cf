#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# All export formats have the same slices, exits and wake-ups; an independent reader reads each format.
# needs: python3 jq
# timeout: 600
set -u
. "$TOP/tests/oracle/_lib.sh"
cd "$(mktemp -d)" || exit 1
check=$TOP/tests/oracle/exchange/_lib/perfetto_check.py
rows() { python3 "$TOP/tests/oracle/exchange/_lib/rows.py" "$@"; }

# agree CDICT OPTIONS... - Perfetto's slices, CSV, Chrome's JSON and .pfw agree; prints the differences
agree() {
	local format
	for format in csv json pfw pfw.gz pftrace; do
		"$CDICT" export -q --max-loss 100 "$@" -o "x.$format" || return
	done
	python3 "$check" x.pftrace | grep -v '^ok$'
	python3 "$check" --slices x.pftrace >x.slices
	rows csv x.csv >csv.rows
	[ "$(wc -l <csv.rows)" -gt 2 ] || echo "CSV has nothing"
	rows perfetto x.slices x.csv >perfetto.rows
	rows chrome x.json >chrome.rows
	rows pfw x.pfw >pfw.rows
	# IDLE has no slices in Chrome's
	diff csv.rows perfetto.rows | head -n 6
	diff <(grep -v '^run [0-9]* [0-9]* [0-9]* 0 ' csv.rows) chrome.rows | head -n 6
	diff csv.rows pfw.rows | head -n 6
	zcat x.pfw.gz | cmp - x.pfw
}

"$CDICT" convert -q -i "$DATA/kvm-callchain.data" -o x.cdict
verdict formats_agree_on_switches "$(agree x.cdict 2>&1)"
"$CDICT" convert -q -i "$DATA/kvm-small.data" -o x.cdict
verdict formats_agree_on_exits "$(agree x.cdict 2>&1)"
verdict formats_agree_on_a_part "$(agree x.cdict --time 20%-70% -C 0-2 2>&1)"
verdict formats_agree_on_tasks "$(agree x.cdict -t KVM 2>&1)"
"$MKPERF" --formats "$DATA/formats" -o l.data "$DATA/loss.trace" && "$CDICT" convert -q --max-loss 100 -i l.data -o l.cdict
verdict formats_agree_on_a_loss "$(agree l.cdict 2>&1)"

# ---- windows that touch add up -----------------------------------------------------------------------

windows() {
	local part
	"$CDICT" export -q x.cdict --to csv | rows csv /dev/stdin >whole.rows
	for part in ,544.9 544.9,545.012345678 545.012345678,; do
		"$CDICT" export -q x.cdict --to csv --time $part >part.csv || return
		rows csv part.csv
	done >parts.rows
	# slices are cut where a window ends; exits and wake-ups are in one of them, whole
	diff <(grep '^[ew]' whole.rows | sort) <(grep '^[ew]' parts.rows | sort) | head -n 5
	diff <(rows sums whole.rows) <(rows sums parts.rows) | head -n 5
}
"$CDICT" convert -q -i "$DATA/kvm-small.data" -o x.cdict
verdict adjacent_windows_add_up "$(windows 2>&1)"

# ---- names are text --------------------------------------------------------------------------------

# a comm and labels that are anything but words
hostile() {
	local name="</script>\"'\\,;%s<b>"
	printf '1228,,vcpu0,,,7,"%s"\n1229,,vcpu1,,,7,"=cmd|\x27/c calc\x27!A1"\n1054,,,,,,"caf\xc3\xa9 \xe2\x80\xae\x1b[31m"\n1055,,,,,,"\xff\xfe bytes"\n' "${name//\"/\"\"}" >map.csv
	for format in csv json pfw pftrace perfwhiz; do
		"$CDICT" export -q x.cdict --map map.csv --to "${format/pftrace/perfetto}" -o "h.$format" 2>err && continue
		"$CDICT" export -q x.cdict --map map.csv -o "h.$format" || cat err
	done
	python3 "$check" h.pftrace | grep -v '^ok$'
	python3 "$check" --names h.pftrace >h.names
	grep -qF "tid 1228 $name.07.vcpu0" h.names || echo "Perfetto: not $name"
	grep -q "^tid 1055 ..* bytes" h.names || echo "Perfetto: bytes are no text"
	jq -r '.traceEvents[].name' h.json | grep -cF "$name.07.vcpu0" >n || echo "JSON: not $name"
	tail -n +2 h.pfw | jq -r '.args.task // empty' | grep -cF "$name.07.vcpu0" >n || echo "pfw: not $name"
	rows names h.csv | grep -cF "$name.07.vcpu0" >n || echo "CSV: not $name"
	grep -q "'=cmd" h.csv || echo "CSV: a spreadsheet would run a name"
	LC_ALL=C grep -c $'\x1b' h.csv h.json h.pfw | grep -v ':0$'
}
verdict hostile_names_stay_text "$(hostile 2>&1)"

# ---- members -------------------------------------------------------------------------------------------

# Every member of a large .pfw.gz is whole lines, and all of them together are the file.
members() {
	"$CDICT" export -q big.cdict --to pfw -o big.pfw
	"$CDICT" export -q big.cdict -o big.pfw.gz
	zcat big.pfw.gz | cmp - big.pfw
	rows members big.pfw.gz
}
{
	echo 'cpus 2'
	echo 'default sched:sched_switch prev_prio=120 next_prio=120'
	printf 'proc 1001 a\nproc 1002 b\n'
	awk 'BEGIN { f = "%d [%03d] %.6f: %s\n"
		for (i = 0; i < 38000; i++) { c = i % 2; v = 1001 + c; t = 100 + i / 1000
			printf f, 0, c, t, "sched:sched_switch: prev_pid=0 prev_state=R next_pid=" v
			printf f, v, c, t + 310e-6, "sched:sched_switch: prev_pid=" v " prev_state=S next_pid=0" } }'
} >big.trace
"$MKPERF" --formats "$DATA/formats" -o big.data big.trace && "$CDICT" convert -q -i big.data -o big.cdict
verdict members_are_whole_lines "$(members 2>&1)"

# ---- the file of perfwhiz --------------------------------------------------------------------------

perfwhiz() {
	"$CDICT" export -q "$1" --to perfwhiz -o x.whiz || return
	"$CDICT" export -q "$1" --to csv -o x.csv
	"$CDICT" script -q --ns -F tid,cpu,time,event,trace "$1" >script.txt
	/usr/bin/python3 "$TOP/tests/oracle/exchange/_lib/rows.py" perfwhiz x.whiz x.csv script.txt
}
if /usr/bin/python3 -c 'import msgpack' 2>/dev/null; then
	for name in kvm-small kvm-callchain; do
		"$CDICT" convert -q -i "$DATA/$name.data" -o x.cdict
		verdict "perfwhiz_reads_$name" "$(perfwhiz x.cdict 2>&1)"
	done
else
	skip perfwhiz_reads "python3-msgpack is not installed"
fi

# ---- SQLite ------------------------------------------------------------------------------------------

sqlite() {
	"$CDICT" export -q x.cdict -o x.sqlite "$@" || return
	"$CDICT" export -q x.cdict -o x.csv "$@"
	rows csv x.csv | grep -v ^unknown >csv.rows
	sqlite3 -separator ' ' x.sqlite "
		SELECT 'run', cpu, ts, dur, tid, coalesce(end_state, '') FROM sched_slice JOIN thread USING (utid);
		SELECT 'exit', ts, dur, tid, reason FROM kvm_exit JOIN thread USING (utid) WHERE dur IS NOT NULL;
		SELECT 'wakeup', ts, cpu, tid FROM wakeup JOIN thread USING (utid) WHERE kind <> 'wakeup'" | sort >sqlite.rows
	diff csv.rows sqlite.rows | head -n 6
	[ "$(sqlite3 x.sqlite 'PRAGMA integrity_check')" = ok ] || echo "the database is damaged"
	find . -name '.x*'
}
if command -v sqlite3 >/dev/null; then
	"$CDICT" convert -q -i "$DATA/kvm-small.data" -o x.cdict
	verdict sqlite_has_the_same "$(sqlite 2>&1)"
	verdict sqlite_of_a_part_has_the_same "$(sqlite --time 544.9,545.1 2>&1)"
else
	skip sqlite_has_the_same "sqlite3 is not installed"
fi

# ---- folded stacks -----------------------------------------------------------------------------------

folded() {
	local by
	for by in off-cpu exits wakeups switches; do
		"$CDICT" flame -q stacks.cdict --by $by --format folded >want.folded || return
		"$CDICT" export -q stacks.cdict --by $by -o x.folded || return
		cmp want.folded x.folded
	done
	[ -s x.folded ] || echo "there are no stacks"
}
if have_perf && perf script --dlfilter "$BUILD/cdict-dlfilter.so" --dlarg out=stacks.cdict --dlarg quiet=1 -i "$DATA/kvm-callchain.data" >/dev/null 2>&1; then
	verdict folded_stacks_are_those_of_flame "$(folded 2>&1)"
else
	skip folded_stacks_are_those_of_flame "perf is not installed"
fi
