#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Out of memory while writing and reading files; see tests/faults/nomem/tables.sh.
# needs: awk python3
# timeout: 600
set -u
cd "$(mktemp -d)" || exit 1
. "$TOP/tests/faults/nomem/_lib.sh"

"$CDICT" convert -q -i "$DATA/kvm-small.data" -o x.cdict || exit 1
"$CDICT" convert -q -i "$DATA/kvm-callchain.data" -o y.cdict || exit 1

FILE_MADE=made.cdict
walk nomem_convert "$CDICT" convert -q -j1 -i "$DATA/kvm-small.data" -o $FILE_MADE
walk nomem_convert_pipe "$CDICT" convert -q -j1 -i "$DATA/kvm-pipe.data" -o $FILE_MADE
walk nomem_convert_stacks "$CDICT" convert -q -j1 -i "$DATA/kvm-callchain.data" -o $FILE_MADE
walk nomem_convert_compressed "$CDICT" convert -q -j1 -i "$DATA/kvm-zstd.data" -o $FILE_MADE
# symbols of programs: the loader, libdw and the C++ demangler lack memory, too
if perf record -q -e cpu-clock -F 500 -g -o g.data -- "$BASH" -c 'for ((i = 0; i < 30000; i++)); do :; done' 2>perf.err; then
	walk nomem_convert_samples "$CDICT" convert -q -j1 -i g.data -o $FILE_MADE
else
	echo "skip nomem_convert_samples perf cannot sample cpu-clock here"
fi
walk nomem_convert_by_two "$CDICT" convert -q -j2 -i "$DATA/kvm-small.data" -o $FILE_MADE
head -n 8 "$DATA/job.pfw" >job.pfw && gzip -k job.pfw
walk nomem_convert_traces "$CDICT" convert -q -j1 job.pfw job.pfw.gz -o $FILE_MADE
"$CDICT" convert -q job.pfw -o job.cdict && FILE_MADE=
walk nomem_active "$CDICT" query -q "SELECT * FROM active_sums('file_0')" job.cdict
walk nomem_active_histograms "$CDICT" query -q "SELECT name, histogram_percentile(histogram(durations), 50)
	FROM active_sums((SELECT interval_union(ts, dur) FROM active_intervals('file_0'))) GROUP BY 1" job.cdict
walk nomem_traces_at_once "$CDICT" query -q -j2 'SELECT count(*) FROM slice' job.pfw job.pfw.gz
FILE_MADE=made.html
walk nomem_report "$CDICT" report -q x.cdict -o $FILE_MADE
walk nomem_report_two "$CDICT" report -q x.cdict y.cdict -o $FILE_MADE
walk nomem_heatmap_page "$CDICT" heatmap -q x.cdict -o $FILE_MADE
# cairo and fontconfig, which draw the other formats, are not ours
for view in cpu exits coremap switches kvm cores vcpu 'exits --rows group' 'coremap --rows role'; do
	FILE_MADE=made.svg
	name=${view// --/_}
	# shellcheck disable=SC2086 # the rows are words
	walk "nomem_heatmap_${name// /_}" "$CDICT" heatmap -q x.cdict --view $view -o $FILE_MADE
done
FILE_MADE=
walk nomem_heatmap_terminal "$CDICT" heatmap -q x.cdict
walk nomem_info "$CDICT" info x.cdict --verify
walk nomem_info_json "$CDICT" info x.cdict --format json
PRINTS_AS_IT_GOES=1
walk nomem_script "$CDICT" script x.cdict
walk nomem_script_frames "$CDICT" script y.cdict -F tid,event,ip,sym,dso
walk nomem_script_by_two "$CDICT" script x.cdict -j2
