#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 1200
# needs: python3
#
# Whichever write, link, rename, sync or truncation of a command fails, or is the last before SIGKILL: the final name
# has the complete old or the complete new file; a failure gives one line and status 1; no other files remain.
set -u
. "$TOP/tests/oracle/_lib.sh"
cd "$(mktemp -d)" || exit 1
NOWRITE=$BUILD/tests/tools/run/preload/nowrite.so

if [ ! -e "$NOWRITE" ] || [[ ${INSTRUMENT-} == @(asan|valgrind) ]]; then
	echo "nowrite: the sanitizers come before it" >&2
	exit 77
fi

cp "$DATA/kvm-callchain.data" in.data
"$CDICT" convert -q -i "$DATA/kvm-callchain.data" -o in.cdict || exit 1
"$CDICT" convert -q -i "$DATA/kvm-small.data" -o older.cdict || exit 1
echo "1002,Mine,vcpu0,,,7,Web" >map.csv
echo "a text" >older.txt
echo "main;work 3" >in.folded

# walk NAME OUT COMMAND... - each call failing in each way
walk() {
	verdict "$1" "$(python3 "$TOP/tests/tools/check/nowrite.py" "$NOWRITE" "${@:2}" 2>&1)"
}

walk failing_convert x.cdict "$CDICT" convert -q -j1 -i ../in.data -o x.cdict
walk failing_annotate x.cdict "$CDICT" annotate -q ../in.cdict --map ../map.csv -o x.cdict
walk failing_annotate_in_place x.cdict "$CDICT" annotate -q x.cdict --map ../map.csv
walk failing_stats x.txt "$CDICT" stats -q ../in.cdict -o x.txt
walk failing_report x.txt "$CDICT" report -q ../in.cdict -o x.txt
# a host with one VM
mkdir -p host/100/task/100
printf '%s\0' qemu-system-x86_64 -name guest=one -uuid 11111111-0000-4000-8000-000000000001 >host/100/cmdline
echo '100 (qemu-system-x86) S 1 0 0 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5000 0' | tee host/100/stat >host/100/task/100/stat
echo qemu-system-x86 | tee host/100/comm >host/100/task/100/comm
walk failing_identify x.txt "$CDICT" identify -q --proc-root ../host --libvirt off -o x.txt
walk failing_flame x.txt "$CDICT" flame -q ../in.folded -o x.txt
walk failing_heatmap x.txt "$CDICT" heatmap -q ../in.cdict --format-out svg -o x.txt
for to in perfetto pfw sqlite; do
	walk failing_export_$to x.txt "$CDICT" export -q ../in.cdict --to $to -o x.txt
done
query() { walk "failing_query_$1" x.txt "$CDICT" query -q "$3" ../in.cdict --format "$2" -o x.txt; }
if "$CDICT" query -q 'SELECT 1' in.cdict >/dev/null 2>may.err; then
	for format in text csv md json; do
		query $format $format 'SELECT * FROM sched_slice'
	done
else
	skip failing_query "$(head -n 1 may.err)"
fi
"$CDICT" sweep -q -n 2 -L b 1,2 --metric v -o in.json -- echo '{"v": {b}}' >/dev/null || exit 1
walk failing_sweep x.txt "$CDICT" sweep -q --plot ../in.json -o x.txt
