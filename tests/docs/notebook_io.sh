#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# uninstrumented: a program without the sanitizer loads the library
# The blocks of doc/notebook-io.md, run on made traces, give what the notebook's own computation with pandas gives.
# needs: python3
set -u
. "$TOP/tests/oracle/_lib.sh"
. "$TOP/tests/docs/_python.sh"
cd "$(mktemp -d)" || exit 1
notebook() { "$python" "$TOP/tests/oracle/exchange/_notebook/notebook.py" "$@"; }
find_python pandas || { skip notebook_io "$why"; exit 0; }

mkdir traces
notebook make 4000 1 | gzip >traces/a.pfw.gz && notebook make 3000 2 | gzip >traces/b.pfw.gz && notebook profile 500 3 >profile.pfw || exit 1
mkdir bin && ln -s "$CDICT" bin/cdict && PATH=$PWD/bin:$PATH
# block N - the page's Nth block of commands
block() { awk -v n="$1" '/^    cdict /{ if (!inside) i++; inside = 1 } /^$/ { inside = 0 } inside && i == n { print substr($0, 5) }' "$TOP/doc/notebook-io.md"; }
all=(traces/a.pfw.gz traces/b.pfw.gz)

block 1 >load.sh
bash load.sh 2>load.err
verdict notebook_io_load "$([ -s job.cdict ] || cat load.err)"
notebook profile_sums profile.pfw
notebook sums "${all[@]}" -- file_0 write 100000 && mv sums.want margin.want
notebook names,interesting,first,many,span,filtered,valid,sums,overlapping "${all[@]}"
cp sums.want several.want
n=1
for step in names interesting first many span filtered valid sums overlapping margin several profile_sums; do
	n=$((n + 1))
	block $n >block.sh
	bash block.sh >got 2>err
	verdict "notebook_io_$step" "$([ -s $step.want ] || echo "pandas has no result"; tr -d '\r' <got | tail -n +2 | diff $step.want - | head -n 20; grep -v 'are lost, more than\|made from a damaged' err)"
done
verdict notebook_io_blocks "$([ -z "$(block $((n + 1)))" ] || echo "the page has more blocks than the test")"
# The rules differ here, so that the comparison means something.
verdict notebook_io_rules_differ "$(cmp -s overlapping.want sums.want && echo "no event reaches over an end of the span")"

sed -n '/^```python/,/^```$/p' "$TOP/doc/notebook-io.md" | grep -v '^```' >page.py
if nm -C "$BUILD/libcdict.so" 2>/dev/null | grep -q __asan; then
	skip notebook_io_python "the sanitizers' library needs a sanitizers' program"
else
	cat >>page.py <<'P'
import sys
sys.path.insert(0, sys.argv[1])
from notebook import step
files = ['traces/a.pfw.gz', 'traces/b.pfw.gz']
assert [(a // 1000, b // 1000) for a, b in active] == [tuple(pair) for pair in step('union', files)], 'another union'
rows = [(row[0], row[1], row[2], row[3] // 1000) for row in traces.active_sums('file_0', rule='notebook').rows]
assert rows == step('sums', files), 'other sums'
P
	verdict notebook_io_python "$("$python" page.py "$TOP/tests/oracle/exchange/_notebook" 2>&1 >shown | tail -n 3; grep -q p99_ns shown || echo "shows no percentiles")"
fi
