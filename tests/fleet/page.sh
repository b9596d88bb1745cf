#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# needs: python3 jq node chromium
#
# The page of a job: its findings are the worst rows of its tables, and open them; / searches hosts, VMs and tasks, ? shows the help, Esc and
# the other keys work; the state is in the link.
set -u
. "$TOP/tests/oracle/_lib.sh"
cd "$(mktemp -d)" || exit 1
export CDICT_STORE=$PWD/store LIB=$TOP/tests/page/_lib

"$CDICT" convert -q -i "$DATA/kvm-small.data" -o a.cdict && "$CDICT" annotate -q a.cdict --map "$DATA/kvm-small.map.csv" &&
	"$CDICT" convert -q -i "$DATA/kvm-libvirt-cgroups.data" -o b.cdict || exit 1
"$CDICT" job create 2001 --bucket 100ms && "$CDICT" push -q --job 2001 --host noisy a.cdict && "$CDICT" push -q --job 2001 --host 'o<ther' b.cdict
"$CDICT" report -q --job 2001 --no-host-pages -o job.html || exit 1

# The sentences and the tables of the commands
findings() {
	local vm delayed
	python3 "$TOP/tests/fleet/_lib/page.py" job.html print "'\n'.join('%s|%s|%s' % (f['table'], f['about'], f['text']) for f in head['findings'])" >list
	vm=$("$CDICT" vcpu -q --job 2001 --json | jq -r '[.vcpu[] | select(.vm)] | group_by(.vm) | map({vm: .[0].vm, ns: map(.delayed_ns) | add}) | max_by(.ns).vm')
	delayed=$("$CDICT" vcpu -q --job 2001 --json | jq --arg vm "$vm" '[.vcpu[] | select(.vm == $vm).delayed_ns] | add / 1e6 | round')
	# worst first: the VM that waited longest, and how long
	sed -n 1p list | grep -q "^vms|$vm|VM $vm waited $delayed ms for a CPU, [0-9.]* % of the known time of its vCPUs" || { echo "$vm, $delayed ms:"; cat list; }
	grep -q '^hosts|noisy|Host noisy: tasks waited for a CPU, ' list || cat list
	# a task with a wait of 10 ms or longer after a wake-up, but for vCPUs
	[ "$("$CDICT" latency -q --job 2001 --json | jq '[.latency[] | select(.vcpu == null) | .latency_max_ns // 0] | max >= 10000000')" = \
		"$(grep -q '^latency|.* waited up to .* for a CPU after a wake-up\.$' list && echo true || echo false)" ] || cat list
}

cat >page.mjs <<'END_OF_PAGE'
const { Browser } = await import(`${process.env.LIB}/browser.mjs`);
const browser = await Browser.launch();
const tab = await browser.open('job.html', { width: 1280, height: 800 });
const wrong = [];
const is = async (what, expression, wanted) => {
	const got = await tab.evaluate(expression);
	if (JSON.stringify(got) !== JSON.stringify(wanted)) wrong.push(`${what}: ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`);
};
const names = `[...document.querySelectorAll('tbody tr')].map((tr) => tr.querySelector('bdi').textContent)`;
const table = `document.querySelector('[data-table]').dataset.table`;
await tab.until('document.documentElement.dataset.drawn', 'the page');
await is('a finding', `document.querySelectorAll('.findings button').length > 2`, true);
const about = await tab.evaluate(`JSON.parse(document.getElementById('cdict-fleet').textContent).findings[0].about`);
await tab.evaluate(`document.querySelector('.findings button').click()`);
await tab.until(`${table} === 'vms'`, 'the table of the finding');
await is('its rows', names, [about]);
await is('its link', `location.hash.includes('table=vms') && location.hash.includes('find=')`, true);
await tab.key('Escape');
await is('Esc shows all rows', `${names}.length > 1`, true);
await is('and leaves no trace in the link', `location.hash.includes('find')`, false);
await tab.key('/');
await is('the search has the focus', `document.activeElement.type`, 'search');
await tab.key('1');
await is('digits are typed there', `${table}`, 'vms');
await tab.evaluate(`document.activeElement.value = 'no.*y|ther$', document.activeElement.dispatchEvent(new Event('input', { bubbles: true }))`);
await is('no VM is found', `${names}.length`, 0);
await tab.evaluate('document.activeElement.blur()');
await tab.key('1');
await tab.until(`${table} === 'hosts'`, 'the first table');
await is('hosts by regular expression', `${names}.sort()`, ['noisy', 'o<ther']);
await tab.evaluate(`(document.querySelector('.head input').value = '(noi', document.querySelector('.head input').dispatchEvent(new Event('input', { bubbles: true })))`);
await is('an invalid one is plain text', `${names}.length`, 0);
await tab.key('Escape');
await tab.key('?');
await is('the help', `[...document.querySelectorAll('dialog[open] dt')].some((dt) => dt.textContent === '/')`, true);
await tab.evaluate(`document.querySelector('dialog[open] button').click()`);
await is('it closes', `document.querySelector('dialog[open]') === null`, true);
const theme = await tab.evaluate('getComputedStyle(document.body).backgroundColor');
await tab.key('t');
await is('other colours', `getComputedStyle(document.body).backgroundColor === ${JSON.stringify(theme)}`, false);
const figure = await tab.evaluate(`document.querySelector('.picture').dataset.figure`);
await tab.key('ArrowRight');
await tab.until(`document.querySelector('.picture').dataset.figure !== ${JSON.stringify(figure)}`, 'the next picture');
await tab.go('#table=tasks&find=' + encodeURIComponent('\\.vhost$'));
await tab.until(`${table} === 'tasks'`, 'the table of the link');
await is('a link searches', `${names}.length > 0 && ${names}.every((name) => name.endsWith('.vhost'))`, true);
await is('nothing is too wide', 'document.documentElement.scrollWidth <= innerWidth', true);
wrong.push(...tab.problems());
if (process.env.SHOTS) for (const [scheme, width, height] of [['light', 1280, 800], ['dark', 1920, 1080]]) {
	const shot = await browser.open('job.html', { width, height, scheme });
	await shot.until('document.documentElement.dataset.drawn', 'the page');
	await shot.screenshot(`${process.env.SHOTS}/job-${scheme}-${width}.png`);
	await shot.key('?');
	await shot.screenshot(`${process.env.SHOTS}/help-${scheme}-${width}.png`);
}
await browser.close();
console.log(wrong.join('\n'));
END_OF_PAGE
verdict the_findings_of_a_job_are_its_worst_rows "$(findings 2>&1)"
verdict the_page_of_a_job_searches_and_helps "$(node page.mjs 2>&1)"
