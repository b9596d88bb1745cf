# Calls over I/O traces: rules, sets, histograms, hashes, a profile's columns, several traces at once; wrong arguments
$CDICT convert -q -o job.cdict $DATA/job.pfw
ask() { $CDICT query -q --max-loss 100 "$@"; echo "status $?"; }
ask "SELECT name, count, dur, histogram_percentile(durations, 50) AS p50 FROM active_sums('file_0')" job.cdict
ask "SELECT name, count, dur FROM active_sums('file_0', NULL, 'notebook')" job.cdict
ask "SELECT name, count, dur FROM active_sums('file_0', 'read', 'notebook', 1000000000000)" job.cdict
ask "SELECT ts, dur FROM active_intervals('file_0'); SELECT ts, dur FROM active_intervals('file_0', NULL, 'notebook')" job.cdict
ask "SELECT name, count FROM active_sums((SELECT interval_union(ts, dur) FROM active_intervals('file_0', 'read')))" job.cdict
ask "SELECT name, category, count, dur, histogram_percentile(durations, 100) AS max FROM slice_sums ORDER BY name" job.cdict
ask "SELECT name, fname, fhash, hhash, freq, time_ns FROM slice" job.cdict
ask "SELECT interval_dur(interval_union(s)) AS dur FROM (SELECT interval_union(1, 5) AS s UNION ALL SELECT interval_union(3, 9))" job.cdict
ask "SELECT histogram_percentile(histogram(h), 50) AS p50 FROM (SELECT histogram(column1) AS h FROM (VALUES (1), (2)) UNION ALL SELECT histogram(7))" job.cdict
ask "SELECT histogram_percentile(histogram(NULL), 50) IS NULL AS empty, histogram_percentile(NULL, 50) IS NULL AS none" job.cdict
cp $DATA/job.pfw a.pfw && cp $DATA/job.pfw b.pfw
for j in 1 2 5; do ask -j$j "SELECT run, count, dur FROM slice_sums WHERE name = 'read'" a.pfw b.pfw job.cdict; done
ask -j2 "SELECT 1" a.pfw not.there b.pfw
ask "SELECT * FROM active_sums()" job.cdict
ask "SELECT * FROM active_sums(NULL)" job.cdict
ask "SELECT * FROM active_sums(x'00')" job.cdict
ask "SELECT * FROM active_sums((SELECT interval_union(1, 2)), 'read')" job.cdict
ask "SELECT * FROM active_sums('a', NULL, 'none')" job.cdict
ask "SELECT * FROM active_sums('a', NULL, 'notebook', -1)" job.cdict
ask "SELECT * FROM active_sums('a', NULL, NULL, 1)" job.cdict
ask "SELECT interval_union(1)" job.cdict
ask "SELECT histogram(x'00')" job.cdict
ask "SELECT histogram(-1)" job.cdict
ask "SELECT histogram_percentile(1, 50)" job.cdict
ask "SELECT histogram_percentile(histogram(1), 101)" job.cdict
ask "SELECT histogram(bad) FROM (SELECT CAST(substr(h, 1, 40) || zeroblob(16) AS BLOB) AS bad FROM (SELECT histogram(1) AS h))" job.cdict
