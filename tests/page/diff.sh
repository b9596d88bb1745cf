#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The page of cdict diff: the sides equal the command's comparison, with the verdict above them.
set -u
. "$TOP/tests/page/_lib.sh"
need node chromium

"$CDICT" convert -q -i "$DATA/kvm-small.data" -o run.cdict || exit 1
cp run.cdict again.cdict
"$CDICT" diff -q run.cdict again.cdict -o same.html >out 2>&1 || exit 1
wrong=$(node "$LIB/same.mjs" same.html 2>&1) && wrong=
[ ! -s out ] || wrong+=$(cat out)
verdict a_capture_compared_with_itself_differs_in_nothing "$wrong"

# the page's data about the sides equals the JSON
ln -s "$DATA/formats" formats
"$MKPERF" -o v.data "$DATA/two-vcpus.trace" && "$CDICT" convert -q -i v.data -o v.cdict || exit 1
for n in 1 2 3 4 5 6 7 8; do
	cp v.cdict "x$n.cdict"
done
rule='vcpu.delayed[name=CPU] > 0 %'
"$CDICT" diff -q x1.cdict x2.cdict x3.cdict x4.cdict -- x5.cdict x6.cdict x7.cdict x8.cdict --fail-if "$rule" \
	--fail-if 'cpu[name=missing] > 1 %' --label '<b>main</b>,branch' --commit 4d5e6f -o x.html 2>err
wrong="status $?"
[ "$wrong" = 'status 3' ] && wrong=
"$CDICT" diff -q x1.cdict x2.cdict x3.cdict x4.cdict -- x5.cdict x6.cdict x7.cdict x8.cdict --fail-if "$rule" --format json >x.json 2>err
"$CDICT" diff -q x1.cdict x2.cdict x3.cdict x4.cdict -- x5.cdict x6.cdict x7.cdict x8.cdict --by group --format json >g.json 2>err
cat >check.mjs <<'JS'
import { readFileSync } from 'node:fs';
const { readPage } = await import(`file://${process.argv[4]}/page.mjs`);
const { compare } = await readPage(process.argv[2]);
const want = JSON.parse(readFileSync(process.argv[3]));
const groups = JSON.parse(readFileSync(process.argv[3].replace('x.json', 'g.json'))).changes.filter(({ table }) => table === 'groups');
want.changes.push(...groups);
const wrong = groups.length ? [] : ['no groups'];
let n = 0;

for (const [kind, { rows, figures, key }] of Object.entries(compare.tables)) {
	for (const row of rows) {
		figures.forEach((figure, f) => {
			const c = want.changes.find((r) => r.table === kind && r.figure === figure && key.every((k, i) => r[k] === row.key[i]));
			const near = (a, b) => (a ?? null) === (b ?? null) || Math.abs(a - b) <= 1e-6 * Math.abs(b);

			n++;
			if (!c || !near(row.values[0]?.[f], c.base) || !near(row.values[1]?.[f], c.new) || (c.not_compared === null && !near(row.p[1]?.[f], c.p)))
				wrong.push(`${kind} ${row.key} ${figure}: ${row.values[0]?.[f]} ${row.values[1]?.[f]} ${row.p[1]?.[f]}, not ${c?.base} ${c?.new} ${c?.p}`);
		});
	}
}
if (n !== want.changes.length || n < 50) wrong.push(`${n} figures of ${want.changes.length}`);
if (compare.broken.length !== want.regressions.length || !compare.broken.length) wrong.push(`${compare.broken.length} broken rules`);
console.log(wrong.slice(0, 5).join('\n'));
JS
wrong+=$(node --no-warnings check.mjs "$PWD/x.html" x.json "$LIB" 2>&1)
verdict the_sides_are_those_of_the_command "$wrong"

chromium_dump x.html >dom
wrong=
for text in 'figures are worse than allowed\.</strong>' 'data-table="broken"' "vcpu.delayed\[name=CPU\] &gt; 0 %" 'Not judged: <code>cpu\[name=missing\] &gt; 1 %' \
	'&lt;b&gt;main&lt;/b&gt;' 'branch (4d5e6f)' '4 runs'; do
	grep -q "$text" dom || wrong+="not shown: $text"$'\n'
done
! grep -q '<b>main' dom || wrong+="a label is markup"
verdict the_verdict_is_shown "$wrong"
