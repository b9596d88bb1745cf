#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 900
# needs: openssl
#
# In real browsers: the page's engine reads the same as libcdict, every field of every event; and the behaviour of a
# page without an engine.
set -u
. "$TOP/tests/page/_lib.sh"
need node chromium
sum=$BUILD/tests/tools/check/pagesum
[ -x "$sum" ] || { echo "$sum is missing" >&2; exit 1; }

# all NAME: of the captures on stdin
all() {
	local name file args=() wrong
	while read -r name file; do
		report "$file" -o "$name.html" || { grep -q 'no event' report.out && continue; }
		"$sum" "$file" >"$name.sum"
		args+=("$name.html" "$file" "$name.sum")
	done
	[ ${#args[@]} -gt 0 ] || { fail "$1" <<<"the capture is missing"; return; }
	if wrong=$(node "$LIB/checksum.mjs" "${args[@]}" 2>&1); then pass "$1"; else fail "$1" <<<"$wrong"; fi
}
captures | all the_page_reads_real_captures_to_the_last_field
made_up 2 | all the_page_reads_made_up_captures_to_the_last_field

# a block that was changed: the page leaves it out, as the reader does
"$CDICT" convert -q -i "$DATA/kvm-small.data" -o run.cdict
size=$(stat -c %s run.cdict)
for at in 3 5 7; do
	cp run.cdict broken.cdict
	printf '\377\377\377\377' | dd of=broken.cdict bs=1 seek=$((size * at / 10)) conv=notrunc 2>/dev/null
	report broken.cdict -o broken.html || exit 1
	"$sum" broken.cdict >broken.sum
	text=$(node "$LIB/checksum.mjs" --damaged broken.html broken.cdict broken.sum 2>&1) && text=
	verdict "a_block_damaged_at_${at}0_percent_costs_that_block" "$text"
done

# ---- without ----

report run.cdict || exit 1
deletes='delete globalThis.WebAssembly'
hash=$(printf %s "$deletes" | openssl dgst -sha256 -binary | base64)
sed -e "s|script-src |&'sha256-$hash' |" -e "s|<div id=\"app\">|<script>$deletes</script>&|" run.html >without.html
node --input-type=module - run.html without.html >out 2>&1 <<'END' && wrong= || wrong=$(cat out)
const { Browser } = await import(`${process.env.TOP}/tests/page/_lib/browser.mjs`);
const browser = await Browser.launch();
const wrong = [];
for (const [file, lacks] of process.argv.slice(2).map((name, i) => [name, i === 1])) {
	const tab = await browser.open(file);
	await tab.ready();
	await tab.go('#view=cores');
	const says = await tab.evaluate('document.getElementById("app").textContent.includes("This browser has no WebAssembly")');
	const rows = await tab.evaluate('cdictPage.figures().tables.tasks.rows.length');
	if (says !== lacks) wrong.push(`${file} ${says ? 'says' : 'does not say'} that it has no WebAssembly`);
	if (!rows) wrong.push(`${file} has no table`);
	// figures of a range, or those of the whole window with a sentence that says so
	await tab.go('#view=exits&range=1000000,200000000');
	const [range, note] = JSON.parse(await tab.evaluate('JSON.stringify([cdictPage.figures().range, document.querySelector(".note").textContent])'));
	if ((range[1] === 200000000) === lacks) wrong.push(`${file} has figures of ${range}`);
	if (note.includes('those of the whole window') !== lacks) wrong.push(`${file} says of its figures: ${note}`);
	await tab.go('#view=exits&tasks=' + await tab.evaluate('cdictPage.table("exits")[0].task'));
	const foot = await tab.evaluate('document.querySelector(".view .two").textContent');
	if (foot.includes('Reasons of selected tasks are unknown') !== lacks) wrong.push(`${file}, exits of one task: ${foot}`);
	wrong.push(...tab.problems());
	await tab.close();
}
await browser.close();
console.log(wrong.join('\n'));
process.exit(wrong.length ? 1 : 0);
END
verdict a_browser_without_WebAssembly_gets_a_sentence "$wrong"

# Policies of other pages forbid it; ours does not, and nothing else that is unsafe (file.sh).
sed "s/'wasm-unsafe-eval' //" run.html >forbidden.html
node --input-type=module - forbidden.html >out 2>&1 <<'END' && wrong= || wrong=$(cat out)
const { Browser } = await import(`${process.env.TOP}/tests/page/_lib/browser.mjs`);
const browser = await Browser.launch();
const tab = await browser.open(process.argv[2]);
await tab.ready();
const note = await tab.evaluate('cdictPage.decoder.open(cdictPage.page.captures[0]).then(() => "it runs", (error) => error.message)');
await browser.close();
if (!/WebAssembly|wasm/i.test(note)) { console.log(note); process.exit(1); }
END
verdict the_policy_lets_the_engine_run "$wrong"
