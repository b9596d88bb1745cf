// SPDX-License-Identifier: GPL-2.0-only
// View 2: why guests exited: bars per task or VM, a table by reason, a heat map, the rows of every task.
import { d3 } from '../../d3.js';
import { totalOf } from '../../page.js';
import { momentIn } from '../clock.js';
import { button, choice, h, nameRoom, named, replace, replaceKept, swatch } from '../dom.js';
import { drawValueAxis } from '../marks/axis.js';
import { rowsOf } from '../figures.js';
import { Chosen } from '../groups.js';
import { Halts } from '../halts.js';
import { HeatMap } from '../marks/heat.js';
import { reasonColours } from '../marks/legend.js';
import { Table } from '../table.js';
import { clean, count, duration, figure, percent, plural } from '../text.js';
import { View, taskData } from './view.js';

const SHOWN = 8; // reasons with a colour
const FIRST_BARS = 24, TALL_BARS = 48, NARROW = 1500, NARROW_BARS = 12; // fewer where the table is below them (style.css), or on paper
const ABOVE = 500; // pixels of head, strip and legend
const FEW_BARS = 14; // with at most this many there is room for the halts
const MOST_BARS = 600; // browsers limit the height of a canvas
const MOST_TICKS = 12;
const LEAST_LEFT = 60, MOST_LEFT = 210, RIGHT = 96, ROW = 24, AXIS = 22;

const WHOLE = 'from kvm_exit to kvm_entry, time off the CPU included';
const LENGTHS = [['min', 'the shortest'], ['avg', 'on average'], ['p50', 'half took no longer'], ['p99', '99 of 100 took no longer'], ['max', 'the longest']]
	.map(([name, hint]) => ({ key: `${name}_ns`, title: name, hint: `${hint}; ${WHOLE}` }));
const OPEN = { key: 'unpaired', title: 'open', hint: 'exits whose end was not seen: they are counted, but not in the times' };

export class ExitsView extends View {
	constructor(app) {
		super(app, 'Why guests exited');
		this.tools = h('div', { class: 'tools' });
		this.chips = h('div', { class: 'legend-box' });
		this.foot = h('p', { class: 'dim' });
		this.bars = this.plot({
			label: 'exits by task and reason', title: () => (this.byTime ? `Time ${this.onCpu ? 'on a CPU ' : ''}from kvm_exit to kvm_entry, without idle guests` : 'Number of exits'), height: () => this.#bars().length * ROW + AXIS, legend: () => this.#legendItems(),
			draw: (s, w) => this.#drawBars(s, w), hit: (x, y) => this.#hitBar(x, y),
		});
		this.everyBar = false;
		this.more = button('', 'show every bar', () => {
			this.everyBar = true;
			this.#renderMore();
			this.bars.paint();
		}, { class: 'link', hidden: true });
		this.reasons = this.#reasonTable();
		this.opened = false;
		this.chosen = new Chosen(app, 'exits', () => this.#render(), { cpus: false, reasons: true, whole: ['exit_reasons', 'exits_vm'] });
		this.heat = new HeatMap(this, 'exit', 220, this.chosen);
		this.all = this.#allTable();
		this.halts = new Halts(app, this.file('halts'));
		// side by side if there is room, else one below the other (style.css): bars, reasons, halts, heat map
		this.left = h('div', { class: 'column' }, h('div', { class: 'exit-bars' }, this.bars.el, this.more, this.foot), this.halts.el);
		this.right = h('div', { class: 'column' }, this.reasons.el, this.heat.el);
		this.el.append(this.tools, this.chips, h('div', { class: 'two exits-two' }, this.left, this.right), h('h3', null, 'Every task and reason'), this.all.el);
	}

	/** Without kvm_entry only their number is known. */
	get byTime() {
		return this.app.state.by === 'time' && this.app.capture.has.entry;
	}

	/** Without sched_switch the part of an exit on a CPU is unknown. */
	get onCpu() {
		return this.app.capture.has.runs;
	}

	/** The value for bars and order. */
	#taken(row) {
		return !this.byTime ? row.count : this.onCpu && !row.idle ? row.cpu_ns : row.time_ns;
	}

	/** With chosen tasks shares are of their exits, once the engine has answered; until then of all. */
	rows() {
		const { selection } = this.app;

		return (this.chosen.rows('exits') ?? this.app.rows('exits')).filter((row) => (row.task === null ? !selection.any : selection.task(row.task)));
	}

	update(change) {
		if (!change.figures && !change.filter && !change.options) {
			this.heat.plot.paint();
			return;
		}
		this.chosen.ask();
		this.#render();
	}

	#render() {
		const { app } = this;

		this.sums = [...rowsOf(this.chosen.latest('exit_reasons'))].sort((a, b) => a.idle - b.idle || this.#taken(b) - this.#taken(a));
		this.#pickColours();
		this.#renderTools();
		this.reasons.setColumns(this.#reasonColumns());
		this.reasons.setRows(this.sums);
		this.all.setRows(this.rows().filter((row) => app.selection.reason(row.reason)));
		this.#renderFoot();
		this.#renderMore();
		this.halts.update(this.sums.find((sum) => sum.idle)?.unpaired ?? 0); // a machine has only one idle reason
		const column = this.#bars().length > FEW_BARS ? this.right : this.left;

		if (this.halts.el.parentNode !== column)
			column.append(this.halts.el);
		this.bars.paint();
		this.heat.follow();
	}

	/** The eight largest reasons have a colour, the rest is "other". */
	#pickColours() {
		const { app } = this;
		const drawn = this.sums.filter((sum) => !sum.idle && app.selection.reason(sum.reason) && this.#taken(sum) > 0);

		this.slots = drawn.slice(0, SHOWN).map((sum) => sum.reason);
		this.rest = drawn.slice(SHOWN);
		this.colours = reasonColours(app.palette, [...this.slots, ...this.sums.map((sum) => sum.reason).filter((r) => !this.slots.includes(r))]);
	}

	colourOf(reason) {
		return this.rest.some((sum) => sum.reason === reason) ? this.app.palette.reasons.other : this.colours.get(reason);
	}

	#legendItems() {
		return [...this.slots.map((reason) => ({ key: reason, text: clean(reason), colour: this.colours.get(reason) })),
		...this.rest.length ? [{ key: 'other', text: `other (${this.rest.length})`, colour: this.app.palette.reasons.other }] : []];
	}

	#renderTools() {
		const { app } = this;

		replace(this.tools,
			choice('bars show', [...this.app.capture.has.entry ? [['time', 'time', `${this.onCpu ? 'on a CPU ' : ''}from kvm_exit to kvm_entry, without HLT and similar exits`]] : [], ['count', 'count', 'how many exits']], this.byTime ? 'time' : 'count', (by) => app.set({ by })),
			choice('per', [['task', 'vCPU'], ['vm', 'VM']], app.state.per, (per) => app.set({ per })));
		const listed = this.sums.filter((sum) => this.opened || this.rest.length < 2 || !this.rest.includes(sum));
		const rest = h('button', {
			type: 'button', class: 'item', data: { reason: 'other' }, title: this.opened ? 'fold them again' : `show ${this.rest.map((r) => clean(r.reason)).join(', ')}`,
			on: { click: () => { this.opened = !this.opened; this.#renderTools(); } }
		}, swatch(app.palette.reasons.other), this.opened ? 'other ‹' : `other (${this.rest.length}) ›`);

		replaceKept(this.chips, h('div', { class: 'legend' }, listed.map((sum) => h('button', {
			type: 'button', class: app.selection.reason(sum.reason) ? 'item' : 'item off', data: { reason: sum.reason },
			title: `${plural(sum.count, 'exit')}${this.#timeText(sum)}${sum.idle ? '; the guest was idle: not in the bars' : ''} · click: only this; shift-click: this too`,
			on: { click: (e) => app.toggle('reasons', sum.reason, e.shiftKey) },
		}, swatch(this.colourOf(sum.reason)), h('bdi', null, clean(sum.reason)), h('span', { class: 'dim' }, sum.idle ? 'idle' : this.byTime ? duration(this.#taken(sum)) : figure('count', sum.count)))), this.rest.length > 1 ? rest : null));
	}

	/** Empty without kvm_entry. */
	#timeText({ time_ns, cpu_ns, off_cpu_ns }) {
		if (time_ns === null)
			return '';
		return `, ${cpu_ns === null ? duration(time_ns) : `${duration(cpu_ns)} on a CPU and ${duration(off_cpu_ns)} off it`} from kvm_exit to kvm_entry`;
	}

	#renderFoot() {
		const { why_not } = this.chosen.known ?? {};
		const table = this.chosen.latest('exit_reasons');
		const work = table && totalOf(table);
		const idle = this.sums.filter((sum) => sum.idle && sum.count);

		this.foot.textContent = this.sums.length ? `${plural(work.count, 'exit')}${this.#timeText(work)}` +
			`${work.unpaired ? `; the end of ${count(work.unpaired)} not seen` : ''}` +
			idle.map((sum) => `; and ${plural(sum.count, 'exit')} of idle guests (${clean(sum.reason)})${sum.time_ns === null ? '' : `, ${duration(sum.time_ns)}`}, not in the bars`).join('') + '.'
			: why_not ? `Reasons of selected tasks are unknown: ${why_not}`
				: this.app.capture.has.exit ? 'no exits in this range for these tasks' : 'no kvm_exit events: record kvm:kvm_exit and kvm:kvm_entry, too (cdict record does)';
	}

	/** Bars, the largest first: {key, name, parts: [row by reason, in drawing order], work: their sum | undefined, idle: that of idle guests}. */
	barRows() {
		const { app } = this;
		const perVm = app.state.per === 'vm';
		const keyOf = (row) => (perVm ? row.vm ?? '' : row.task);
		const bars = new Map();
		const nameOf = (row) => (perVm ? `VM ${clean(row.vm ?? '?')}` : row.task === null ? 'all vCPUs' : app.who(row.task));

		for (const row of perVm ? rowsOf(this.chosen.latest('exits_vm')) : this.rows()) {
			if (!app.selection.reason(row.reason))
				continue;
			const key = keyOf(row);
			const bar = bars.get(key) ?? { key, name: nameOf(row), parts: [] };

			bars.set(key, bar);
			if (!row.idle && this.#taken(row) > 0)
				bar.parts.push(row);
		}
		// with one reason its row is the sum
		for (const bar of app.state.reasons.length === 1 ? bars.values() : [])
			bar.work = bar.parts[0];
		for (const sum of rowsOf(perVm ? this.chosen.latest('exits_vm_sums') : this.chosen.table('exits_sums'))) {
			const bar = bars.get(keyOf(sum));

			if (bar && sum.idle)
				bar.idle = sum;
			else if (bar && sum.idle !== null)
				bar.work = sum;
		}
		const work = (bar) => this.#taken(bar.work ?? {}) ?? 0, idle = (bar) => this.#taken(bar.idle ?? {}) ?? 0;
		const place = new Map(this.slots.map((reason, i) => [reason, i]));

		for (const bar of bars.values())
			bar.parts.sort((a, b) => (place.get(a.reason) ?? SHOWN) - (place.get(b.reason) ?? SHOWN) || this.#taken(b) - this.#taken(a));
		return [...bars.values()].sort((a, b) => work(b) - work(a) || idle(b) - idle(a));
	}

	/** The drawn bars. */
	#bars() {
		const narrow = innerWidth <= NARROW || document.documentElement.dataset.print;

		return this.barRows().slice(0, this.everyBar ? MOST_BARS : narrow ? NARROW_BARS : Math.max(FIRST_BARS, Math.min(TALL_BARS, Math.floor((innerHeight - ABOVE) / ROW))));
	}

	#renderMore() {
		const left = this.barRows().length - this.#bars().length;

		this.more.hidden = !left;
		this.more.disabled = this.everyBar;
		this.more.textContent = this.everyBar ? `${count(left)} more in the table below` : plural(left, 'more bar');
	}

	/** The length of the bar's parts together. */
	#end(bar) {
		let at = 0;

		for (const row of bar.parts)
			at += this.#taken(row);
		return at;
	}

	#amount(v) {
		return this.byTime ? duration(v) : count(v);
	}

	#drawBars(s, w) {
		const { palette } = this.app;
		const bars = this.#bars();
		// names of instances differ at their ends: do not cut any that has room
		const left = Math.min(MOST_LEFT, Math.max(LEAST_LEFT, ...bars.map((bar) => s.measure(bar.name, 12) + 14)));
		const scale = d3.scaleLinear().domain([0, Math.max(1, ...bars.map((bar) => this.#end(bar)))]).range([left, w - RIGHT]);
		const { ticks } = scale;
		const bottom = bars.length * ROW;

		scale.ticks = (n) => ticks(Math.min(n, MOST_TICKS));

		this.shown = bars;
		this.scale = scale;
		s.rect(0, 0, w, bottom + AXIS, palette.paper);
		if (bars.length)
			drawValueAxis(s, palette, scale, 0, bottom, { unit: this.byTime ? 'time' : 'count' });
		bars.forEach((bar, i) => {
			const y = i * ROW + 3;
			let at = 0;

			s.text(left - 8, y + 9, bar.name, { colour: palette.text, anchor: 'end', room: left - 12 });
			for (const row of bar.parts) {
				const value = this.#taken(row);

				const x = scale(at), wide = scale(at + value) - x;

				// a gap after parts that are wide enough, for people who see no colours
				s.rect(x, y, wide > 4 ? wide - 1 : wide, 18, this.colourOf(row.reason));
				at += value;
			}
			const amount = bar.work ? this.#amount(this.#taken(bar.work)) : '';

			// over the axis' lines
			s.rect(scale(at) + 3, y + 1, s.measure(amount, 12) + 5, 16, palette.paper);
			s.text(scale(at) + 6, y + 9, amount, { colour: palette.text, size: 12 });
		});
	}

	#hitBar(x, y) {
		const bar = this.shown?.[Math.floor(y / ROW)];

		if (!bar)
			return null;
		const { app } = this;
		const perVm = app.state.per === 'vm';
		const box = { y: Math.floor(y / ROW) * ROW, h: ROW };
		let at = 0;

		for (const row of bar.parts) {
			const value = this.#taken(row);
			const share = !this.byTime ? row.count_percent : this.onCpu ? row.cpu_percent : row.time_percent;

			at += value;
			if (x >= this.scale.range()[0] && this.scale.invert(x) < at)
				return {
					lines: [`${bar.name}: ${clean(row.reason)}`, this.byTime ? `${duration(value)} (${count(value)} ns)` : plural(value, 'exit'),
					share === null ? null : `${percent(share)} of ${app.selection.any && this.chosen.table('exits') ? 'the chosen' : 'all'} exits' ${this.byTime ? 'time' : 'number'}`, 'click: only this reason'],
					box, click: () => app.toggle('reasons', row.reason),
				};
		}
		return {
			lines: [bar.name, [bar.work ? this.#amount(this.#taken(bar.work)) : null, bar.idle ? `idle ${this.#amount(this.#taken(bar.idle))}` : null].filter(Boolean).join(', and ') || null,
			perVm ? 'click: only this VM' : 'click: only this vCPU'], box,
			click: bar.key === null ? null : () => (perVm ? app.toggle('vms', bar.key) : app.toggle('tasks', bar.key)),
		};
	}

	#reasonColumns() {
		const named = (row) => [swatch(this.colourOf(row.reason)), h('bdi', null, clean(row.reason)), row.idle ? h('span', { class: 'dim' }, ' idle') : null];

		return [
			{ key: 'reason', title: 'reason', text: true, show: named },
			{ key: 'count', title: 'exits' },
			{ key: 'count_percent', title: '% of exits', hint: 'of the number of all exits; idle is left out' },
			...this.#times(),
			...LENGTHS,
			{ key: 'max_at_ns', title: 'when', hint: 'the longest began here; click a row to filter by it', show: (r) => this.#when(r) },
			...this.sums?.some((r) => r.unpaired) ? [OPEN] : [],
		];
	}

	/** Time on a CPU before elapsed time; without sched_switch only the latter. */
	#times() {
		const time = { key: 'time_ns', title: 'time', hint: 'from kvm_exit to kvm_entry, on a CPU or not' };

		return this.onCpu ? [
			{ key: 'cpu_ns', title: 'on a CPU', hint: 'the thread was on a CPU between kvm_exit and kvm_entry' },
			{ key: 'cpu_percent', title: '% of exit time', hint: 'of the time that all exits were on a CPU; idle is left out' },
			{ key: 'off_cpu_ns', title: 'off CPU', hint: 'the thread slept or was preempted between kvm_exit and kvm_entry' },
			time,
		] : [time, { key: 'time_percent', title: '% of exit time', hint: 'of the time of all exits; idle is left out' }];
	}

	#reasonTable() {
		return new Table(this.#reasonColumns(), {
			app: this.app, name: 'exit_reasons', file: this.file('exit-reasons'), rowData: (r) => ({ reason: r.reason }), rowClass: (r) => (this.app.selection.reason(r.reason) ? null : 'off'),
			onRow: (r, e) => this.app.toggle('reasons', r.reason, e.shiftKey)
		});
	}

	#when(row) {
		const { app } = this;

		if (row.max_at_ns === null || row.max_at_ns === undefined)
			return '–';
		return h('button', {
			type: 'button', class: 'link', title: 'show the longest one on the cores', on: {
				click: (e) => {
					e.stopPropagation();
					app.set({ view: 'cores', range: [Math.floor(row.max_at_ns - row.max_ns * 0.2), Math.ceil(row.max_at_ns + row.max_ns * 1.2)] });
				}
			}
		}, `${momentIn(row.max_at_ns, this.app.range[1] - this.app.range[0])}`);
	}

	#allTable() {
		const { app } = this;
		const number = (key, title, hint) => ({ key, title, hint });

		return new Table([
			{ key: 'name', title: 'vCPU', text: true, value: (r) => (r.task === null ? null : app.who(r.task)), show: (r) => named(r.task === null ? '–' : app.who(r.task), nameRoom(158)) },
			{ key: 'reason', title: 'reason', text: true },
			number('count', 'exits'), number('count_percent', '% of exits', 'of the number of all exits; idle is left out'), ...this.#times(), ...LENGTHS,
			{ key: 'max_at_ns', title: 'when', hint: 'the longest', show: (r) => this.#when(r) },
			OPEN,
		], { app, name: 'exits', file: this.file('exits'), rowData: (r) => ({ ...taskData(app, r.task), reason: r.reason }) });
	}

	close() {
		this.chosen.close();
		this.halts.close();
		this.heat.close();
		super.close();
	}
}
