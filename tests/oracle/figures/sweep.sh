#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# needs: python3
# timeout: 300
#
# The sweep of a real benchmark (tests/bench/_measure/diskread.c) writes its data and pictures; its figures equal those of Python's
# statistics module for the samples; squares and bars match the axes of the SVG; hostile text stays text; a sweep interrupted by
# kill -9 at any moment continues.
set -u
. "$TOP/tests/oracle/_lib.sh"
cd "$(mktemp -d)" || exit 1
head -c 4M /dev/urandom >file

sweep() {
	"$CDICT" sweep -q -n 5 --drop-first -L b 1K,2K,4K..64K -L n 2,3 --metric 'benchmark_samples[].bandwidth:B/s' \
		--metric wall --metric 'seconds=benchmark_samples[].seconds|median:s' --mark '4K=</text><script>,32K' \
		--title 'reads of {b} & <b>"more"</b>' -o disk.svg -o disk.png -o disk.pdf -o disk.html \
		-- "$BUILD/tests/bench/_measure/diskread" -f file -b '{b}' -c 8 -n '{n}' -j >out 2>err
}
verdict a_real_benchmark_is_swept "$(sweep || echo "status $?"; cat err; [ "$(wc -l <out)" = 43 ] || wc -l out
	for file in svg png pdf html json csv; do [ -s disk.$file ] || echo "no disk.$file"; done)"

cat >figures.py <<'END'
import csv, json, statistics
d = json.load(open('disk.json'))
rows = list(csv.DictReader(open('disk.csv', newline='')))
values = [p['values'] for p in d['params']]
points = [(a, b) for a in values[0] for b in values[1]]
if len(rows) != len(points) * 3 or len(d['done']) != len(points) * 5:
    print('rows', len(rows), 'runs', len(d['done']))
for p, point in enumerate(points):
    runs = [r for r in d['done'] if r['point'] == p]
    if [r['dropped'] for r in runs] != [True] + [False] * 4:
        print(point, 'is not dropped as it should be')
    for m, metric in enumerate(d['metrics']):
        v = sorted(x for r in runs if not r['dropped'] for x in r['samples'][m])
        want = 4 * (int(point[1]) if m == 0 else 1)
        if len(v) != want:
            print(point, metric['name'], len(v), 'samples, not', want)
        q = statistics.quantiles(v, n=4, method='inclusive')
        row = next(r for r in rows if (r['b'], r['n'], r['metric']) == (*point, metric['name']))
        for key, x in zip(['min', 'q1', 'median', 'q3', 'max'], [v[0], *q, v[-1]]):
            if abs(float(row[key]) - x) > 1e-7 * abs(x):
                print(point, metric['name'], key, row[key], 'is', x)
            s = next(r for r in d['sweep'] if r['params'] == {'b': point[0], 'n': point[1]} and r['metric'] == metric['name'])
            if abs(s[key] - x) > 1e-7 * abs(x):
                print(point, metric['name'], key, 'in JSON', s[key], 'is', x)
END
verdict figures_are_those_of_pythons_statistics "$(python3 figures.py 2>&1)"

# Two command lines, in hyperfine's format: the figures of the times, by Python's statistics.
cat >export.py <<'END'
import json, statistics
d, x = json.load(open('e.json')), json.load(open('export.json'))['results']
for p, r in enumerate(x):
    runs = [q for q in d['done'] if q['point'] == p and q['samples']]
    times, user, system = ([q['samples'][m][0] / 1e9 for q in runs] for m in range(3))
    line = ['sleep 0.00', 'sleep 0.01', "sh -c 'exit 0'", "sh -c 'exit 1'"][p]
    want = {'command': line, 'parameters': {'command': ['sleep 0.0{n}', "sh -c 'exit {n}'"][p // 2], 'n': str(p % 2)}, 'times': times,
            'exit_codes': [0, 0, 0] if p < 3 else [1, 1, 1], 'mean': None, 'stddev': None, 'median': None, 'min': None, 'max': None,
            'user': None, 'system': None}
    if times:
        want |= {'mean': statistics.mean(times), 'stddev': statistics.stdev(times), 'median': statistics.median(times),
                 'min': min(times), 'max': max(times), 'user': statistics.mean(user), 'system': statistics.mean(system)}
    near = lambda a, b: a == b or isinstance(a, float) and abs(a - b) <= 1e-8 * abs(b)
    for k, v in want.items():
        if not (near(r[k], v) or k == 'times' and len(v) == len(r[k]) and all(map(near, r[k], v))):
            print(line, k, r[k], 'is', v)
    if set(r) != set(want):
        print(set(r) ^ set(want))
if len(x) != 4:
    print(len(x), 'results')
END
verdict hyperfines_export_has_the_times "$("$CDICT" sweep -q -r 3 --ignore-failure -P n 0 1 --export-json export.json -o e.json \
	'sleep 0.0{n}' "sh -c 'exit {n}'" 2>&1 >/dev/null; python3 export.py 2>&1)"

# A plot whose values are round: of each point the square's middle must be where the ticks' labels say.
cat >bench <<'END'
#!/bin/sh
echo "{\"v\": [$(($1 * 10)), $(($1 * 20)), $(($1 * 30))]}"
END
chmod +x bench
cat >positions.py <<'END'
import math, re, sys
import xml.etree.ElementTree as ET
root = ET.parse(sys.argv[1]).getroot()
ns = '{http://www.w3.org/2000/svg}'
log_x, log_y = sys.argv[2] == 'log', sys.argv[3] == 'log'
texts = [(t.text, float(t.get('x')), float(t.get('y')), t.get('text-anchor')) for t in root.iter(ns + 'text')]
xs = {t[0]: t[1] for t in texts if t[3] == 'middle'}
ys = {t[0]: t[2] - 0.36 * 12 for t in texts if t[3] == 'end'}
dots = {}
for r in root.iter(ns + 'rect'):
    title = r.find(ns + 'title')
    if title is None:
        continue
    b, median = re.match(r'b=(\d+): v: median ([\d.]+)', title.text).groups()
    dots[int(b)] = (float(r.get('x')) + float(r.get('width')) / 2, float(r.get('y')) + float(r.get('height')) / 2, float(median))
if sorted(dots) != [1, 2, 5, 10]:
    print('squares:', sorted(dots))
for b, (x, y, median) in dots.items():
    if median != 20 * b:
        print(b, 'has median', median)
    if abs(x - xs[str(b)]) > 1:
        print(b, 'stands at', x, 'and not at', xs[str(b)])
at = lambda v, log: math.log(v) if log else v
# the axis by two of its labels
known = sorted((float(k), v) for k, v in ys.items() if re.fullmatch(r'[\d.]+', k) and (float(k) > 0 or not log_y))
(v1, y1), (v2, y2) = known[0], known[-1]
for b, (x, y, median) in dots.items():
    want = y1 + (at(median, log_y) - at(v1, log_y)) / (at(v2, log_y) - at(v1, log_y)) * (y2 - y1)
    if abs(y - want) > 1.2:
        print('median', median, 'stands at', y, 'and not at', want)
(x1, x2) = xs['1'], xs['10']
for b in (2, 5):
    want = x1 + (at(b, log_x) - at(1, log_x)) / (at(10, log_x) - at(1, log_x)) * (x2 - x1)
    if abs(xs[str(b)] - want) > 1.2:
        print('tick', b, 'stands at', xs[str(b)], 'and not at', want)
END
for scales in 'linear linear' 'log linear' 'linear log' 'log log'; do
	set -- $scales
	verdict "squares_match_the_axes_$1_$2" "$("$CDICT" sweep -q -n 1 -L b 1,2,5,10 --metric 'v[]' --x-scale "$1" \
		--y-scale "$2" -o p.svg -- ./bench '{b}' 2>&1 >/dev/null; python3 positions.py p.svg "$1" "$2" 2>&1)"
done

hostile() {
	for file in disk.svg disk.html; do
		grep -q '<script>' $file && echo "$file has a script"
		grep -q '&lt;script' $file || echo "$file has lost the label"
		grep -q '&lt;b&gt;"more"&lt;/b&gt;\|&lt;b&gt;&quot;more&quot;' $file || echo "$file has lost the title"
	done
	! command -v xmllint >/dev/null || xmllint --noout disk.svg 2>&1
	grep -qE 'src=|href=|https?://[^w]' disk.html && echo "disk.html asks for something"
}
verdict hostile_text_stays_text "$(hostile)"

# Killed three times at arbitrary moments; every run reported as done is in the final data, once.
cat >slow <<'END'
#!/bin/sh
echo x >>ran
sleep 0.05
echo "{\"v\": $1}"
END
chmod +x slow
interrupted() {
	local kills=0 pid before round
	for round in {1..30}; do
		"$CDICT" sweep -q -n 4 -L b 1..5 --metric v -o k.svg -- ./slow '{b}' >out 2>err &
		pid=$!
		before=$(wc -l <k.journal 2>/dev/null || echo 0)
		# until it has done some runs more
		while kill -0 $pid 2>/dev/null && [ "$(wc -l <k.journal 2>/dev/null || echo 0)" -lt $((before + 4)) ]; do sleep 0.01; done
		[ $kills -lt 3 ] || break
		kill -9 $pid 2>/dev/null && kills=$((kills + 1))
		wait $pid || [ $? = 137 ] || break
	done
	wait $pid || echo "status $?: $(cat err)"
	[ "$(wc -l <ran)" -le $((20 + kills)) ] || echo "$(wc -l <ran) runs for 20 and $kills kills"
	[ "$(jq '.done | length' k.json)" = 20 ] || echo "not 20 runs in the data"
	[ ! -e k.journal ] || echo "the journal is left"
}
if command -v jq >/dev/null; then
	verdict an_upload_interrupted_by_kill_9_goes_on "$(interrupted 2>/dev/null)"
else
	skip an_upload_interrupted_by_kill_9_goes_on jq
fi
# After a signal that can be caught, it prints how to continue, and ends by that signal.
stopped() {
	local pid
	rm -f k.*
	"$CDICT" sweep -n 4 -L b 1..5 --metric v -o k.svg -- ./slow '{b}' >out 2>err &
	pid=$!
	while kill -0 $pid 2>/dev/null && [ "$(wc -l <k.journal 2>/dev/null || echo 0)" -lt 3 ]; do sleep 0.01; done
	kill -TERM $pid
	wait $pid
	[ $? = 143 ] || echo "status $?"
	grep -q 'stopped after [0-9]* of 20 runs; repeat the command line to continue' err || cat err
	[ -e k.journal ] || echo "no journal is left"
	[ ! -e k.svg ] || echo "a picture is there"
}
verdict a_stopped_sweep_prints_how_to_continue "$(stopped 2>/dev/null)"
