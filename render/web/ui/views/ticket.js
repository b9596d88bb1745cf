// SPDX-License-Identifier: GPL-2.0-only
// The figures of an area or range, for its card and as text for a ticket: a sentence, and the commands that print the same.
import { totalOf } from '../../page.js';
import { clockTime, moment, wallTime } from '../clock.js';
import { clean, duration, figure } from '../text.js';

/** The figures of a range, of the chosen tasks and CPUs: {tables}. */
export function figuresOf(app, range, signal) {
	const tasks = app.selection.list();
	const cpus = app.state.cpus.length ? app.state.cpus : null;
	const { capture, decoder } = app;

	return Promise.all([decoder.tasks(capture, range, { tasks, cpus, signal }), decoder.exits(capture, range, { tasks, cpus, signal })])
		.then((answers) => ({ range, tables: { ...answers[0].tables, ...answers[1].tables } }));
}

/**
 * What a card shows of the sums of two tables: [title, [table, key, words after the value] of each of its values, hint].
 * @type {[string, [string, string, string?][], string][]}
 */
const FIGURES = [
	['run', [['tasks', 'run_ns'], ['tasks', 'run_percent', 'of a CPU']], 'time on a CPU of all tasks but IDLE'],
	['waited', [['tasks', 'delayed_ns'], ['tasks', 'delays', 'times'], ['tasks', 'worst_ns', 'the longest']], 'runnable, but not on a CPU: preempted, or woken and waiting'],
	['switches', [['tasks', 'switches'], ['tasks', 'involuntary', 'forced']], 'off a CPU, of all tasks but IDLE; forced: preempted'],
	['wake-up latency', [['tasks', 'latency_p50_ns', 'p50'], ['tasks', 'latency_p99_ns', 'p99'], ['tasks', 'latency_max_ns', 'max']], 'from wake-up to running, of the wake-ups that ended here'],
	['exits', [['exits', 'count'], ['exits', 'cpu_ns', 'on a CPU'], ['exits', 'p99_ns', 'p99'], ['exits', 'max_ns', 'max']], 'without those of idle guests; times from kvm_exit to kvm_entry'],
];

/** The sums of the tables that a card shows: {tasks, exits}, each a row or null. */
export function sumsOf({ tables }) {
	return { tasks: totalOf(tables.tasks), exits: totalOf(tables.exits) };
}

/** The figures with a value: [{title, hint, parts: [{table, key, value, after}]}]. */
export function shownFigures(sums) {
	return FIGURES.map(([title, values, hint]) => ({
		title, hint, parts: values.map(([table, key, after = '']) => ({ table, key, after, value: sums[table]?.[key] })).filter(({ value }) => value !== null && value !== undefined),
	})).filter(({ parts }) => parts.length && (parts[0].value || parts[0].table !== 'exits')).map((one) => (one.parts[0].value ? one : { ...one, parts: one.parts.slice(0, 1) }));
}

/** The selected thread ids and CPUs as options of a command, and a warning if a thread id is not enough. */
function optionsOf(app) {
	const { capture, state } = app;
	const list = app.selection.list();
	const chosen = list?.map((i) => capture.tasks[i]);
	const { task, tid, vm } = capture.filter;
	/** @type {string[]} */
	const out = [];

	if (chosen) {
		out.push('--tid', [...new Set(chosen.map((t) => t.tid))].sort((a, b) => a - b).join(','));
	} else {
		for (const [option, value] of [['-t', task], ['--tid', tid?.join(',')], ['--vm', vm]])
			if (value)
				out.push(option, quoted(value));
	}
	if (state.cpus.length)
		out.push('-C', state.cpus.join(','));
	const tids = new Set(chosen?.map((t) => t.tid));
	const others = capture.tasks.filter((t) => tids.has(t.tid) && !list?.includes(t.index));

	return { options: out, note: others.length ? `# thread ids were reused: the commands also count ${others.map((t) => app.who(t.index)).join(', ')}` : null };
}

const quoted = (text) => (/^[\w@%+=:,./][\w@%+=:,./-]*$/.test(text) ? text : `'${clean(text).replaceAll("'", `'\\''`)}'`);

/** The commands that print the figures of @range, as typed in a shell. */
export function commandsOf(app, range) {
	const { capture } = app;
	const { options, note } = optionsOf(app);
	const file = /^-/.test(capture.file) ? `./${capture.file}` : capture.file;
	const time = range.map((t) => clockTime(capture, t)).join(',');

	return [...['tasks', ...capture.has.exit ? ['exits'] : []].map((command) => ['cdict', command, '--time', time, ...options, quoted(file)].join(' ')), ...note ? [note] : []];
}

/** "run 285 ms, 288 % of a CPU; waited 90.7 ms, ..." */
function sentenceOf(sums) {
	const words = ({ key, value, after }) => (/^(p\d|max|the longest)/.test(after) ? `${after} ${figure(key, value)}` : `${figure(key, value)} ${after}`.trimEnd());

	return shownFigures(sums).map(({ title, parts }) => `${title} ${parts.map(words).join(', ')}`).join('; ');
}

/** Text for a ticket about @range. @sums: those of its tables, or null; @lines: further ones. */
export function ticketText(app, range, sums, lines) {
	const { capture, state } = app;
	const [from, to] = range;
	const wall = wallTime(capture, from);
	const marks = [...state.marks].sort((a, b) => a.at - b.at);

	return `${[
		[clean(capture.label), capture.host && clean(capture.host), capture.kernel && clean(capture.kernel), clean(capture.loss.text ?? '')].filter(Boolean).join(' · '),
		`${duration(to - from)} from ${clockTime(capture, from)} s of the recording’s clock${wall ? `, ${wall.day} ${wall.time}.${wall.ns} UTC` : ''} · ${clean(app.selection.words())}`,
		sums ? sentenceOf(sums) : `no figures: ${clean(capture.why_not ?? 'the capture is not in the page')}`,
		...lines,
		...marks.map(({ at, name }) => `mark ${name ? `${clean(name)}: ` : 'at '}${moment(at, 9)}`),
		'',
		...commandsOf(app, range),
	].join('\n')}\n`;
}
