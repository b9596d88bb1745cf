#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 600
#
# The page as a file, without a browser: its contents and size, and that its tables and bins equal the
# commands' output.
set -u
. "$TOP/tests/page/_lib.sh"
need node
cp "$DATA/kvm-small.data" run.data
"$CDICT" convert -q -i run.data -o run.cdict || exit 1
report run.cdict || exit 1

# ---- the file ----

wrong=
[ -s run.html ] || wrong="run.html is missing"
verdict the_page_is_written_next_to_the_capture "$wrong"

cp run.html first.html
report run.cdict -o second.html
verdict the_same_capture_gives_the_same_page "$(cmp first.html second.html 2>&1)"

node - run.html run.cdict >out 2>&1 <<'END' && wrong= || wrong=$(cat out)
const fs = require('fs');
const html = fs.readFileSync(process.argv[2], 'latin1');
// in pieces, in order, after the program: the first view does not wait for them
const pieces = [...html.matchAll(/id="capture-0(?:-(\d+))?">([^<]*)</g)];
const bytes = Buffer.concat(pieces.map(([, , text]) => Buffer.from(text, 'base64')));
if (pieces.some(([, k], i) => Number(k ?? 0) !== i || (i && k === undefined))) { console.log('its pieces are not in order'); process.exit(1); }
if (pieces.some(([, , text]) => text.length > 1 << 20)) { console.log('a piece is long'); process.exit(1); }
if (html.indexOf('id="capture-0"') < html.lastIndexOf('<script>')) { console.log('it stands before the program'); process.exit(1); }
if (!bytes.equals(fs.readFileSync(process.argv[3]))) { console.log('the embedded capture differs'); process.exit(1); }
END
verdict the_embedded_capture_is_the_file "$wrong"

size=$(stat -c %s run.html) cdict=$(stat -c %s run.cdict)
wrong=
[ "$size" -le $((cdict * 14 / 10 + 1600000)) ] || wrong="$size bytes for a cdict of $cdict"
verdict the_page_is_little_larger_than_the_capture "$wrong"

# tasks that come and go: each costs the cdict a few bytes, and the page a row of every table
ln -sfn "$DATA/formats" formats
awk 'BEGIN {
	n = 20000
	print "cpus 2"
	for (i = 0; i < n; i++) printf "proc %d \"worker%d\"\n", 1000 + i, i % 97
	for (t = 10; i > 1; i--) {
		printf "%d [000] %.9f: sched:sched_switch: prev_pid=%d prev_state=X next_pid=%d\n",
			999 + i, t, 999 + i, 998 + i
		t += 0.00001 + i * 7919 % 1000 * 1e-8
	}
}' >storm.trace
"$MKPERF" -o storm.data storm.trace && "$CDICT" convert -q -i storm.data -o storm.cdict || exit 1
report storm.cdict || exit 1
size=$(stat -c %s storm.html) cdict=$(stat -c %s storm.cdict)
wrong=
[ "$size" -le $((cdict * 14 / 10 + 1600000)) ] || wrong="$size bytes for a cdict of $cdict"
verdict the_page_of_20000_tasks_is_little_larger_than_the_capture "$wrong"

report run.cdict --embed none -o none.html
wrong=
grep -q 'id="capture-0"' none.html && wrong="the capture is in it"
grep -q '"embedded": false' none.html || wrong+=" the page does not know"
grep -q -- '--embed all to include it' none.html || wrong+=" it does not say so"
verdict without_embedding_the_page_reports_it "$wrong"

node - run.html >out 2>&1 <<'END' && wrong= || wrong=$(cat out)
const fs = require('fs');
const { createHash } = require('crypto');
const html = fs.readFileSync(process.argv[2], 'utf8');
const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)[1];
const bad = [];
// of unsafe sources the engine alone, and as a script
const safe = policy.replace(/(?<=script-src )'wasm-unsafe-eval' /, '');
if (!safe.startsWith("default-src 'none';") || safe === policy || /unsafe|\*|https?:/.test(safe)) bad.push(policy);
const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const scripts = [...html.matchAll(/<script>([^]*?)<\/script>/g)].map((m) => m[1]);
if (scripts.length !== 2) bad.push(`${scripts.length} scripts`);
for (const text of scripts) if (!policy.includes(hash(text))) bad.push(`script ${hash(text)} may not run`);
const styles = [...html.matchAll(/<style>([^]*?)<\/style>/g)].map((m) => m[1]);
if (styles.length !== 1 || !policy.includes(hash(styles[0]))) bad.push('the style may not be used');
const outside = html.replace(/<script[^]*?<\/script>|<style>[^]*?<\/style>/g, '');
if (/\son[a-z]+=|src=|style="|<a |http:|https:/.test(outside)) bad.push(outside);
if (bad.length) { console.log(bad.join('\n')); process.exit(1); }
END
verdict only_what_the_build_made_may_run "$wrong"

hostile evil.cdict || exit 1
report evil.cdict --label '</title><script>alert(1)</script>' || exit 1
wrong=$(grep -aoi '<img\|<script>alert\|</title><' evil.html | sort -u)
# the only script ends are those of our own elements
ours=$(grep -ao '</script>' run.html | wc -l) theirs=$(grep -ao '</script>' evil.html | wc -l)
[ "$ours" = "$theirs" ] || wrong+=" $theirs script ends instead of $ours"
iconv -f UTF-8 -t UTF-8 evil.html >/dev/null 2>&1 || wrong+=" is not UTF-8"
verdict foreign_names_end_no_element "$wrong"

# ---- its numbers ----

n=0
wrong=
while read -r name file; do
	for options in '' '--time 10%-60%' '--time 30%-31% -t CPU'; do
		in_sample $((n += 1)) 3 || continue # in the next capture the next; EVERY=1: all
		# shellcheck disable=SC2086
		report "$file" -o x.html $options || wrong+="$name $options: $(cat report.out)"$'\n'
		# shellcheck disable=SC2086
		text=$(node "$LIB/tables.mjs" x.html "$file" $options 2>&1) || wrong+="$name $options: $text"$'\n'
		text=$(node "$LIB/bins.mjs" x.html 2>&1) || wrong+="$name $options: $text"$'\n'
	done
	n=$((n + 1))
done < <(captures)
verdict the_tables_of_real_captures_are_what_the_commands_print "$wrong"

wrong=
while read -r name file; do
	if ! report "$file" -o x.html; then
		grep -q 'no events: nothing to show' report.out ||
			wrong+="$name: $(cat report.out)"$'\n'
		continue
	fi
	text=$(node "$LIB/tables.mjs" x.html "$file" 2>&1) || wrong+="$name: $text"$'\n'
	text=$(node "$LIB/bins.mjs" x.html 2>&1) || wrong+="$name: $text"$'\n'
done < <(made_up 3)
verdict the_tables_of_made_up_captures_are_what_the_commands_print "$wrong"

# each column has the task, and the group, that had the CPU longest, by the slices of cdict query
cp run.cdict named.cdict && "$CDICT" annotate -q named.cdict --map "$DATA/kvm-small.map.csv" && report named.cdict -o x.html
"$CDICT" query -q named.cdict --json 'SELECT s.ts, s.dur, s.cpu, t.tid FROM sched_slice s JOIN thread t USING (utid)' >slices.json
verdict columns_of_cores_have_the_task_and_the_group_that_ran_longest "$(node "$LIB/bins.mjs" x.html slices.json 2>&1 | grep -v '^adds up$')"

# ---- several captures ----

cp run.cdict again.cdict
report run.cdict again.cdict --label before,after -o two.html
wrong=$(node "$LIB/same.mjs" two.html 2>&1) && wrong=
verdict a_capture_compared_with_itself_differs_in_nothing "$wrong"

report run.cdict again.cdict
wrong=
[ -s run-comparison.html ] || wrong="run-comparison.html is missing"
cmp -s first.html run.html || wrong+=" run.html was overwritten"
verdict a_comparison_has_a_name_of_its_own "$wrong"

cp run.cdict keep.cdict
"$CDICT" report run.cdict -o run.cdict >out 2>&1 && wrong="it was done" || wrong=
cmp -s run.cdict keep.cdict || wrong+=" the capture is gone"
verdict the_capture_is_never_overwritten "$wrong"
