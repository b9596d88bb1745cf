// SPDX-License-Identifier: GPL-2.0-only
// The page's own rules, without a page: names, numbers, the address, zoom. Bundled by
// render/web/build/bundle.awk as the page is, run by node and by Chromium (tests/page/ui.sh). Prints
// "ok NAME" or "not ok NAME" and the reason.

import * as axis from '../../../render/web/ui/marks/axis.js';
import * as clock from '../../../render/web/ui/clock.js';
import * as compare from '../../../render/web/ui/compare.js';
import * as gestures from '../../../render/web/ui/input/gestures.js';
import * as lanes from '../../../render/web/ui/marks/lanes.js';
import * as legend from '../../../render/web/ui/marks/legend.js';
import * as selection from '../../../render/web/ui/input/selection.js';
import * as state from '../../../render/web/ui/input/state.js';
import * as text from '../../../render/web/ui/text.js';
import * as tracks from '../../../render/web/ui/marks/tracks.js';

const lines = [];

function check(name, cases) {
	const wrong = cases.filter(([got, want]) => JSON.stringify(got) !== JSON.stringify(want));

	lines.push(`${wrong.length ? 'not ok' : 'ok'} ${name}`);
	for (const [got, want] of wrong)
		lines.push(`    # ${JSON.stringify(got)} instead of ${JSON.stringify(want)}`);
}

check('foreign_text_is_shown_as_the_terminal_shows_it', [
	[text.clean('CPU 0/KVM'), 'CPU 0/KVM'],
	[text.clean('a\x1b[2J\n\x7f'), 'a\\x1b[2J\\x0a\\x7f'],
	[text.clean('\u0085'), '\\xc2\\x85'],
	[text.clean('\u202edrow\u200b\ufeff'), '<U+202E>drow<U+200B><U+FEFF>'],
	[text.clean('\u{e0041}'), '<U+E0041>'],
	[text.clean('пример 例 🙂'), 'пример 例 🙂'],
]);
check('numbers_have_three_digits_and_a_unit', [
	[[0, 999, 1000, 1234, 12345, 123456, 999499, 999500, 1e9, 5020000000].map(text.duration),
	['0 ns', '999 ns', '1 µs', '1.23 µs', '12.3 µs', '123 µs', '999 µs', '1.00 ms', '1 s', '5.02 s']],
	[[7, 999, 34998, 8260000].map(text.short), ['7', '999', '35.0k', '8.26M']],
	[[0, 0.01, 12.345, 99.96, 204].map(text.percent), ['0.0 %', '< 0.1 %', '12.3 %', '100 %', '204 %']],
	[text.count(1234567), '1,234,567'],
	[[999.4e9, 4567e9, 8.64e13].map(text.duration), ['999 s', '4,567 s', '86,400 s']],
	[[text.figure('run_ns', null), text.figure('run_ns', 0), text.figure('switches', 4662), text.figure('max_at_ns', 1500000000)], ['–', '0', '4,662', '1.500000 s']],
	[compare.signed('run_percent', -25.84), '−25.8 points'],
	[compare.signed('worst_ns', 46400000), '+46.4 ms'],
	[[0.02, -0.02, 0].map((v) => compare.signed('run_percent', v)), ['< +0.1 points', '> −0.1 points', '0']],
]);
check('labels_of_an_axis_have_one_unit_and_the_same_decimals', [
	[axis.valueLabels([0, 2e8, 4e8, 1e9, 12e8, 32e8], 'time'), ['0', '0.2 s', '0.4 s', '1.0 s', '1.2 s', '3.2 s']],
	[axis.valueLabels([0, 5e8, 1e9, 15e8], 'time'), ['0', '0.5 s', '1.0 s', '1.5 s']],
	[axis.valueLabels([0, 2e5, 4e5], 'time'), ['0', '200 µs', '400 µs']],
	[axis.valueLabels([0, 500, 1000, 4500], 'count'), ['0', '500', '1,000', '4,500']],
	[axis.valueLabels([0, 5000, 10000, 15000], 'count'), ['0', '5k', '10k', '15k']],
	[axis.valueLabels([0, 500000, 1000000], 'count'), ['0', '0.5M', '1.0M']],
	[axis.valueLabels([0, 2e13, 8e13], 'time'), ['0', '20,000 s', '80,000 s']],
	[axis.timeTicks([0, 86400e9], 4).ticks.map(({ label }) => label), ['0', '20,000 s', '40,000 s', '60,000 s', '80,000 s']],
	[axis.valueLabels([0], 'time'), ['0']],
]);
check('times_of_the_clock_are_exact', [
	[clock.clockTime({ t0_ns: '922060149460' }, 1587412314), '923.647561774'],
	[clock.clockTime({ t0_ns: '9007199254740993' }, 1), '9007199.254740994'],
	[clock.clockTime({ t0_ns: '5' }, 0), '0.000000005'],
	[clock.wallTime({ wall_t0: '2026-11-20T13:47:48.999999999Z' }, 1), { day: '2026-11-20', time: '13:47:49', ns: '000000000' }],
	[clock.wallTime({ wall_t0: null }, 1), null],
]);

const texts = (kind, to, t, span) => {
	clock.useClock(kind, { t0_ns: '922060149460', wall_t0: null, window: { from: 0, to } });
	const all = [clock.moment(t), clock.moment(t, 9), clock.moment(t, 3), clock.momentIn(t, span), clock.spanText([t, t + span])];

	clock.useClock('start', { t0_ns: '0', wall_t0: null });
	return all;
};

check('times_of_a_capture_have_one_unit', [
	[texts('start', 354193019, 45424123, 48900000), ['45.424 ms', '45.424123 ms', '45 ms', '45.42 ms', '45.4–94.3 ms']],
	[texts('start', 354193019, 200000, 420000), ['0.200 ms', '0.200000 ms', '0 ms', '0.2000 ms', '0.20–0.62 ms']],
	[texts('start', 5020000000, 45424123, 48900000), ['0.045424 s', '0.045424123 s', '0.045 s', '0.04542 s', '0.045–0.094 s']],
	[texts('clock', 354193019, 45424123, 48900000), ['922.105573 s', '922.105573583 s', '922.105 s', '922.10557 s', '922.105–922.154 s']],
]);
check('a_vm_without_a_name_is_called_vm', [
	[['1959', 'alpha', 'VM 3', '7up', ''].map(text.vmName), ['VM 1959', 'alpha', 'VM 3', '7up', '']],
]);

const some = { ...state.START, view: 'exits', range: [1, 2500000000], tasks: [3, 7], vms: ['a,b', '%&=#<ü'], reasons: ['EPT_VIOLATION'], search: '^vhost|a&b=c', theme: 'dark' };
check('the_address_gives_the_state_back', [
	[state.fromFragment(`#${state.toFragment(some, state.START)}`, state.START), some],
	[state.toFragment(state.START, state.START), ''],
	[state.fromFragment('#view=exits&range=5,1', state.START).range, null],
	[state.fromFragment('#vms=%zz&tasks=-1,x,4&__proto__=1&range=abc', state.START), { ...state.START, tasks: [4] }],
]);
check('zoom_keeps_the_time_under_the_pointer_and_stays_in_the_window', [
	[gestures.zoomed([0, 1000], 250, 0.5, [0, 1000], 10), [125, 625]],
	[gestures.zoomed([0, 1000], 0, 4, [0, 1000], 10), [0, 1000]],
	[gestures.zoomed([500, 520], 510, 0.1, [0, 1000], 20), [500, 520]],
	[gestures.within([-100, 100], [0, 1000]), [0, 200]],
	[gestures.within([900, 1100], [0, 1000]), [800, 1000]],
]);
check('a_search_is_a_pattern_as_-t_takes_it', [
	[selection.searchRegex('*vcpu').test('Router.02.vcpu1'), true],
	[selection.searchRegex('router').test('Router.02'), true],
	[selection.searchRegex('ROUTER').test('Router.02'), false],
	[selection.searchRegex('('), null],
]);

const within = (width) => (part) => [...part].length <= width;
text.learnNames(() => ['instance-0000001b.vcpu1', 'instance-0000001e.vcpu1']);
check('long_names_keep_their_ends_and_what_differs', [
	[text.shorten('instance-0000001b.vcpu1', within(14)), 'instan…b.vcpu1'],
	[text.shorten('instance-0000001e.vcpu1', within(8)), '…e.vcpu1'],
	[text.shorten('instance-0000001d', within(14)), 'inst…-0000001d'],
	[text.shorten('Firewall.05', within(14)), 'Firewall.05'],
	[text.shorten('äöüäöüäöüäöü🙂🙂🙂', within(6)), '…öü🙂🙂🙂'],
	[text.shorten('Firewall.05', within(3)), ''],
]);

// A vCPU in [100, 200] on a CPU: guest, exit, guest; before it was preempted, after it halted.
function slice(from, to, a, b) {
	const drawn = [];
	const states = { guest: 'g', exit: 'e', qemu: 'q', preempted: 'p', waiting: 'w', halted: 'h', blocked: 'b' };
	const of = new lanes.Lanes({ palette: { states }, selection: { state: () => true } }, () => { });
	const round = (v) => Math.round(v * 100) / 100;

	of.exact = { by: new Map([[7, [0, 1, 2, 3, 4]]]), states: { from: [0, 100, 130, 160, 200], to: [100, 130, 160, 200, 300], state: ['preempted', 'guest', 'exit', 'guest', 'halted'].map((s) => legend.STATES.indexOf(s)) } };
	of.drawSlice({ rect: (x, y, w, h, colour) => drawn.push([colour, ...[x, y, w, h].map(round)].join(' ')), hatch: (x, y, w) => drawn.push(`? ${round(x)} ${round(w)}`) }, 7, [from, to], [a, b], 0, 10);
	return drawn;
}

check('a_slice_has_only_states_on_a_cpu', [
	[slice(100, 200, 0, 10), ['g 0 0 3 10', 'e 3 0 3 10', 'g 6 0 4 10']],
	[slice(100, 200, 0.5, 5.5), ['g 0.5 0 1.5 10', 'e 2 0 1 10', 'g 3 5 1 5', 'e 3 0 1 5', 'g 4 0 1.5 10']],
	[slice(100, 200, 4.2, 6.2), ['g 4.2 3 2 7', 'e 4.2 0 2 3']],
	[slice(100, 110, 4.2, 4.8), ['g 4.2 0 0.6 10']],
	[slice(300, 310, 0, 5), ['? 0 5']],
]);
const levels = (...counts) => counts.map(legend.countLevels({ one: 0.1 }, counts[0], counts.at(-1)).level).map((v) => Number(v.toFixed(9)));

check('counts_begin_near_the_plot_and_end_at_the_strongest_colour', [
	[levels(1, 2), [0.1, 1]],
	[levels(1, 10, 100), [0.1, 0.55, 1]],
	[levels(50, 5000), [0.1, 1]],
	[levels(3), [1]],
]);

// Lanes of the host and of its guests have one key: each state has its own colour, but a halted vCPU is asleep.
const palette = { states: Object.fromEntries(legend.STATES.map((name) => [name, name])), tasks: Array.from({ length: 12 }, (_, i) => `task ${i}`) };
const colours = Object.keys(tracks.TRACK_WORDS).filter((name) => name !== 'asleep').map((name) => tracks.trackColour(palette, name));

check('each_state_in_the_lanes_has_its_own_colour', [
	[colours.length, 12],
	[new Set(colours).size, 12],
	[['running', 'stolen', 'away', 'busy'].map((name) => tracks.trackColour(palette, name)), ['task 6', 'task 4', 'task 1', 'task 5']], // as tests/unit/render/test_palette.c
	[tracks.trackColour(palette, 'asleep'), 'halted'],
]);

if (typeof document === 'undefined')
	console.log(lines.join('\n'));
else
	document.body.textContent = lines.join('\n');
