// SPDX-License-Identifier: GPL-2.0-only
// Words and colours of the comparison.
import { duration, percent, short } from './text.js';

export const COMPARISONS = {
	vcpu: { title: 'vCPU states', row: 'vCPU', columns: ['guest_percent', 'exit_percent', 'qemu_percent', 'preempted_percent', 'waiting_percent', 'worst_ns'] },
	tasks: { title: 'CPU and switches', row: 'task', columns: ['switches_per_s', 'involuntary_per_s', 'wakeups_per_s', 'latency_p99_ns', 'latency_max_ns'] },
	exits: { title: 'Exit types', row: 'vCPU · reason', columns: ['cpu_percent', 'time_percent', 'avg_ns', 'p99_ns', 'max_ns'] },
	coremap: { title: 'Core map', row: 'task', columns: [] },
};

export const FIGURE_WORDS = {
	run_percent: 'ran', switches_per_s: 'switches/s', involuntary_per_s: 'forced/s', wakeups_per_s: 'wake-ups/s', migrations_per_s: 'migrations/s', delays_per_s: 'waits/s',
	latency_avg_ns: 'latency avg', latency_p50_ns: 'latency p50', latency_p99_ns: 'latency p99', latency_max_ns: 'latency max',
	count_per_s: 'exits/s', cpu_percent: 'on CPU, % of window', time_percent: 'time, % of window', avg_ns: 'avg', p99_ns: 'p99', max_ns: 'max',
	delayed_percent: 'waited', guest_percent: 'guest', exit_percent: 'exits', qemu_percent: 'VMM', preempted_percent: 'preempted',
	waiting_percent: 'waiting', halted_percent: 'halted', blocked_percent: 'blocked', unknown_percent: 'unknown', worst_ns: 'worst wait',
};

/** "+12.3 points" of percentages, "−38.0 ms" */
export function signed(key, v) {
	const size = Math.abs(v);
	const text = /percent$/.test(key) ? percent(size).replace('%', 'points') : /_ns$/.test(key) ? duration(Math.round(size)) : size < 0.005 ? '0' : short(size);

	return size < 1e-9 || text === '0' ? '0' : text.startsWith('<') ? text.replace('<', v > 0 ? '< +' : '> −').replace(/ (?=\d)/, '') : `${v > 0 ? '+' : '−'}${text}`;
}

// Brewer's PuOr: less is purple, more is orange; small changes are near the paper.
const STEPS = {
	light: [[[216, 218, 235], [178, 171, 210], [128, 115, 172], [84, 39, 136]], [[254, 224, 182], [253, 184, 99], [224, 130, 20], [179, 88, 6]]],
	dark: [[[44, 42, 62], [84, 74, 132], [128, 115, 172], [178, 171, 210]], [[56, 44, 28], [126, 76, 18], [224, 130, 20], [253, 184, 99]]],
};

/** The colour of a difference, -1..1 relative to the largest. */
export function differenceColour(part, dark = false) {
	const steps = STEPS[dark ? 'dark' : 'light'][part < 0 ? 0 : 1];
	const at = Math.min(1, Math.abs(part)) * (steps.length - 1);
	const i = Math.min(steps.length - 2, Math.floor(at));
	const mix = steps[i].map((v, k) => Math.round(v + (steps[i + 1][k] - v) * (at - i)));

	return `#${mix.map((v) => v.toString(16).padStart(2, '0')).join('')}`;
}
