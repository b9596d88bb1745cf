// SPDX-License-Identifier: GPL-2.0-only
// View 1: where the time of every vCPU went, worst first, with its antagonists, and when.
import { d3 } from '../../d3.js';
import { beganAt, moment, momentIn } from '../clock.js';
import { ENTER, button, h, named, replace, replaceKept } from '../dom.js';
import { drawLoss, drawTimeAxis, drawValueAxis, timeScale, timeTicks } from '../marks/axis.js';
import { aroundOf } from '../details.js';
import { RowsBy } from '../figures.js';
import { Tree, foldChoice, folded, groupName, turn } from '../groups.js';
import { Lanes } from '../marks/lanes.js';
import { STATES, STATE_WORDS, legend, stateItems } from '../marks/legend.js';
import { drawMarks } from '../marks/marks.js';
import { Slices, fillRows } from '../slices.js';
import { clean, duration, exactNs, percent, plural, vmName } from '../text.js';
import { Story } from './story.js';
import { View, taskData } from './view.js';
import { vcpuDetail } from './vcpu_detail.js';
import { WhoDelayed } from './who_delayed.js';

const PAD = 6;
const SECOND_FROM = 20; // percent of its delay: with less it is not a culprit (tables/findings/vcpu_findings.c)
const TICK = 90; // pixels between times
const FEW = 12; // rows: with fewer, they grow with the window's height
const TALL = [28, 60];
const ABOVE = 530; // pixels of head, strip, matrix and legend
const KEYS = STATES.map((state) => `${state}_ns`);

/** Pixels for a name in the column "mostly behind" (style.css). */
const behindRoom = () => (document.documentElement.dataset.print ? 280 : innerWidth >= 2200 ? 218 : innerWidth >= 1600 ? 190 : 154);

export class VcpusView extends View {
	constructor(app) {
		super(app, 'vCPUs: where their time went');
		this.lanes = new Lanes(app, () => this.paint());
		this.legend = h('div', { class: 'legend-box' });
		this.body = h('tbody');
		this.barAxis = this.plot({ label: 'share of the window', height: 18, draw: (s, w) => this.#drawBarAxis(s, w) });
		this.timeAxis = this.plot({ label: 'time', height: 18, time: { left: PAD, right: PAD }, draw: (s, w) => this.#drawTimeAxis(s, w) });
		this.table = h('table', { class: 'vcpus', data: { table: 'vcpu' } },
			h('thead', null, h('tr', null,
				h('th', { class: 'who' }, 'vCPU, worst first'),
				h('th', { class: 'num', title: 'preempted and waiting together: the vCPU was runnable, but not on a CPU' }, 'waited'),
				h('th', { class: 'behind', title: 'the task or VM that had the CPU meanwhile' }, 'mostly behind'),
				h('th', { class: 'num worst', title: 'the longest wait, its part in this range, and when it began' }, 'worst, at'),
				h('th', { class: 'bar-cell' }, this.barAxis.el),
				h('th', { class: 'lane-cell' }, this.timeAxis.el))), this.body);
		this.empty = h('p', { class: 'empty', hidden: true });
		this.lossy = h('p', { class: 'dim', hidden: true }, '~ lossy: missing events may have changed these figures.');
		this.delays = new WhoDelayed(this);
		this.story = new Story(this);
		this.el.append(this.delays.el, this.story.el, this.legend, this.table, this.lossy, this.empty);
		app.card.watch(this.body, (el) => this.#explain(el));
		this.rowPlots = [];
		this.slices = new Slices((change) => app.busy(change));
	}

	rows() {
		return this.app.rows('vcpu').filter((row) => this.app.selection.task(row.task));
	}

	looked() {
		this.story.update();
		this.paint();
	}

	/** The tables by VM have arrived. */
	vmsKnown() {
		this.update({ figures: true });
	}

	update(change) {
		const rows = this.rows();

		this.delays.chosen.ask();
		this.story.update();
		if (change.figures || change.filter || change.options)
			this.#build(rows);
		else
			this.paint();
		this.lanes.follow(rows.map((row) => row.task));
		this.delays.update(change);
	}

	#build(rows) {
		const { app } = this;
		const has = (state) => rows.some((row) => row[`${state}_ns`] > 0);
		const tree = rows.length > FEW && folded(app, rows.length) ? this.#tree(rows) : null;
		const list = tree?.flat((level) => [...level].sort((a, b) => (b.delayed_ns ?? 0) - (a.delayed_ns ?? 0))) ?? rows;

		this.tree = tree;
		this.laneHeight = document.documentElement.dataset.print ? 16 : rows.length <= FEW ? Math.floor(Math.max(TALL[0], Math.min(TALL[1], (innerHeight - ABOVE) / rows.length - 6))) : 20;
		this.table.style.setProperty('--lane', `${this.laneHeight}px`);
		this.table.classList.toggle('tall', rows.length <= FEW && !document.documentElement.dataset.print);
		for (const plot of this.rowPlots)
			this.drop(plot);
		this.rowPlots = [];
		replaceKept(this.legend, rows.length > FEW ? foldChoice(app, rows.length) : null, legend(stateItems(app.palette, has).map((item) => ({
			...item, title: 'click: only this state in colour', on: app.selection.state(item.key), click: () => app.toggle('states', item.key),
		}))));
		this.antagonists = new RowsBy(app.figures.shown?.tables?.antagonists, 'task');
		this.shares = new Map(app.rows('vcpu_shares').map((shares) => [shares.task, shares]));
		fillRows(this.slices, this.body, list.length, (i) => (list[i].task === undefined ? this.#groupRow(list[i], i) : this.#row(list[i], i, rows.length <= 2)), { least: this.laneHeight });
		this.lossy.hidden = !rows.some((row) => row.lossy);
		this.empty.hidden = rows.length > 0;
		const chosen = app.selection.list()?.length;

		replace(this.empty, ...app.rows('vcpu').length ? ['no vCPU matches the filter', ...chosen ? [': ', button(plural(chosen, 'other task does', 'other tasks do'), 'show the view Tasks', () => app.set({ view: 'tasks' }), { class: 'link' })] : []] :
			[app.capture.has.entry || app.capture.has.exit ? 'no vCPU in this window' : 'no KVM events: record kvm:kvm_entry and kvm:kvm_exit, too (cdict record does)']);
		this.paint();
	}

	/** VMs with their vCPUs, and the sums of the wanted ones. */
	#tree(rows) {
		return new Tree(this.app, rows, this.delays.chosen.rows('vcpu_groups'), null);
	}

	/** All vCPUs of a VM as one row. */
	#groupRow(row, i) {
		const { app } = this;
		const lane = this.#groupLane(this.tree.tasksOf(row));
		const worst = this.delays.chosen.rows('delays')?.find((delay) => delay.vm === row.group && delay.behind_ns > 0);
		const all = STATES.reduce((sum, state) => sum + (row[`${state}_ns`] ?? 0), 0); // as wide as the bar
		const bar = this.#bar(row, (state) => (all ? 100 * (row[`${state}_ns`] ?? 0) / all : 0), (state) => ({ title: `${STATE_WORDS[state]}: ${duration(row[`${state}_ns`] ?? 0)} of its vCPUs together` }));

		return [h('tr', { class: 'group', data: { row: i, group: row.group } },
			h('td', { class: 'who' }, groupName(app, row, 'vCPU')),
			h('td', { class: 'num strong', data: { key: 'delayed_ns', value: row.delayed_ns } }, row.delayed_ns ? duration(row.delayed_ns) : '–', h('span', { class: 'share' }, row.delayed_ns ? percent(row.delayed_percent) : '')),
			h('td', { class: 'behind' }, worst ? [h('span', { class: 'share' }, percent(worst.delayed_percent)), named(worst.behind_kind === 'vm' || worst.behind_kind === 'self' ? vmName(worst.behind) : clean(worst.behind), behindRoom())] : ''),
			h('td', { class: 'num worst' }, this.#worstOf(row)),
			h('td', { class: 'bar-cell' }, bar), h('td', { class: 'lane-cell', on: { dblclick: () => turn(app, row) } }, lane.el))];
	}

	/** The states of several vCPUs stacked, from the bins. */
	#groupLane(tasks) {
		const { app } = this;

		return this.#lane('states over time, all vCPUs together', (s, w, tall, scale) => {
			s.rect(PAD, 1, w - 2 * PAD, tall - 2, app.palette.plot);
			this.lanes.drawBins(s, tasks, scale, 1, tall - 2);
		});
	}

	#row(row, i, alone) {
		const { app } = this;
		// one or two alone have enough room
		const open = alone || app.state.open.includes(row.task);
		const { vm } = app.capture.tasks[row.task];
		const name = app.who(row.task);
		const lane = this.#taskLane(row.task);
		const line = h('tr', { class: open ? 'open' : null, data: { row: i, ...taskData(app, row.task) } },
			h('td', { class: 'who', css: { 'padding-left': this.tree?.depth(row) ? '22px' : null } },
				alone ? null : button(open ? '▾' : '▸', 'antagonists, exits, waits', () => app.toggle('open', row.task, true), { class: 'opener', 'aria-expanded': String(open) }),
				h('a', {
					class: 'pick', role: 'button', ...ENTER, title: vm === null ? `click: only ${name}` : `VM ${vm} · click: only this vCPU; shift-click: its VM`,
					on: { click: (e) => (e.shiftKey && vm !== null ? app.toggle('vms', vm) : app.toggle('tasks', row.task)) }
				}, named(name, this.tree?.depth(row) ? 160 : 172)),
				row.lossy ? h('span', { class: 'lossy', title: 'lossy: missing events may have changed these figures' }, '~') : null),
			h('td', { class: 'num strong', data: { key: 'delayed_ns', value: row.delayed_ns, card: 'delayed' } }, row.delayed_ns ? duration(row.delayed_ns) : '–',
				h('span', { class: 'share' }, row.delayed_ns ? percent(row.delayed_percent) : '')),
			h('td', { class: 'behind' }, this.#antagonist(row)),
			h('td', { class: 'num worst' }, this.#worst(row)),
			h('td', { class: 'bar-cell' }, this.#bar(row, (state) => this.shares.get(row.task)?.[`${state}_percent`] ?? 0, (state) => ({ data: { card: state } }))),
			h('td', { class: 'lane-cell' }, lane.el));

		if (!open)
			return [line];
		return [line, h('tr', { class: 'detail', data: { task: row.task } }, h('td', { colspan: '6' }, app.has('antagonists', 'latency') ? vcpuDetail(this, row, this.antagonists.of(row.task)) : null))];
	}

	/** A VM's longest wait of one of its vCPUs. */
	#worstOf(group) {
		const tasks = this.tree.tasksOf(group);
		const its = group.worst_ns ? this.app.rows('vcpu').find((row) => row.worst_ns === group.worst_ns && row.worst_at_ns === group.worst_at_ns && tasks.includes(row.task)) : null;

		return its ? this.#worst(its) : '';
	}

	/** Its longest wait; a click shows it. */
	#worst(row) {
		const { app } = this;

		if (!row.worst_ns)
			return '–';
		return h('a', {
			class: 'pick', title: `${exactNs(row.worst_ns)} on CPU ${row.worst_cpu}${row.worst_behind ? `, behind ${clean(row.worst_behind)}` : ''}${row.worst_at_ns <= app.range[0] ? '; it began before this range' : ''}; click: show it`,
			data: { key: 'worst_ns', value: row.worst_ns },
			on: { click: () => app.details.look('wait', row.task, row.worst_at_ns, { range: aroundOf({ from: row.worst_at_ns, to: row.worst_at_ns + row.worst_ns }) }) },
		}, duration(row.worst_ns), h('span', { class: 'share', data: { key: 'worst_at_ns', value: row.worst_at_ns } }, beganAt(row.worst_at_ns, app.range)));
	}

	/** The group of antagonists for which the vCPU waited longest. */
	#crowdOf(row) {
		return this.antagonists.of(row.task).reduce((most, one) => (one.group_percent > most.group_percent ? one : most));
	}

	#antagonist(row) {
		const [worst] = row.delayed_ns && this.app.has('antagonists') ? this.antagonists.of(row.task, 1) : [];

		if (!worst?.behind_ns)
			return '';
		const crowd = worst.delayed_percent < SECOND_FROM ? this.#crowdOf(row) : null;

		// if no task stands out, the group of tasks, as in the findings
		if (crowd?.group_tasks > 1 && crowd.group_kind !== 'idle') {
			const name = crowd.group_kind === 'self' ? 'its own VM' : crowd.group_kind === 'vm' ? vmName(crowd.group) : clean(crowd.group);

			return [h('span', { class: 'share' }, percent(crowd.group_percent)), h('span', { title: `${plural(crowd.group_tasks, 'task')} of ${name}`, data: { crowd: crowd.group } }, named(name, behindRoom() - 58), h('span', { class: 'dim' }, ` (${plural(crowd.group_tasks, 'task')})`))];
		}
		return [h('span', { class: 'share' }, percent(worst.delayed_percent)),
		h('a', {
			class: 'pick', role: 'button', ...ENTER, title: `click: only ${this.app.who(worst.antagonist)}`, data: { antagonist: worst.antagonist },
			on: { click: () => this.app.toggle('tasks', worst.antagonist, true) }
		}, named(this.app.who(worst.antagonist), behindRoom()))];
	}

	/** A bar of its states. shareOf(state): percent of the bar; propsOf(state): attributes of that part. */
	#bar(row, shareOf, propsOf) {
		return h('div', { class: 'bar' }, STATES.map((state, k) => {
			const { data, ...props } = propsOf(state);

			return h('div', { class: `state-${this.app.selection.state(state) ? state : 'off'}${shareOf(state) >= 1.5 ? ' wide' : ''}`, data: { key: KEYS[k], value: row[KEYS[k]], ...data }, css: { width: `${shareOf(state)}%` }, ...props });
		}));
	}

	#taskLane(task) {
		const { app } = this;
		const lane = this.#lane('states over time', (s, _, tall, scale) => this.lanes.draw(s, task, scale, 1, tall - 2), (x) => {
			const found = this.lanes.under(task, timeScale(app.range, PAD, lane.width - PAD), x);

			return found && { lines: found.lines, box: { y: 0, h: this.laneHeight }, click: () => { app.chosen = found.range ?? null; app.details.look('state', task, found.at); } };
		});

		return lane;
	}

	/** A row's picture of time. */
	#lane(label, draw, hit = null) {
		const { app } = this;
		const plot = this.plot({
			label, hit, height: () => this.laneHeight, reserve: true, time: { left: PAD, right: PAD },
			draw: (s, w, tall) => {
				const scale = timeScale(app.range, PAD, w - PAD);

				s.rect(0, 0, w, tall, app.palette.paper);
				draw(s, w, tall, scale);
				drawLoss(s, app.palette, app.capture, scale, 0, tall);
				drawMarks(s, app, scale, 0, tall);
			},
		});

		this.rowPlots.push(plot);
		return plot;
	}

	#drawBarAxis(s, w) {
		const { palette } = this.app;

		s.rect(0, 0, w, 18, palette.paper);
		drawValueAxis(s, palette, d3.scaleLinear().domain([0, 100]).range([0, w]), 0, 0, { unit: 'share', edge: 0 });
	}

	#drawTimeAxis(s, w) {
		const { app } = this;

		const [from, to] = app.range;
		const scale = timeScale(app.range, PAD, w - PAD);
		const { ticks } = timeTicks(app.range, Math.floor((w - 2 * PAD) / TICK));
		const last = ticks.filter(({ at }) => at <= to).at(-1);

		s.rect(0, 0, w, 18, app.palette.paper);
		drawTimeAxis(s, app.palette, scale, 0, 0);
		// a single tick shows no scale
		if (ticks.length < 2 && (!last || scale(last.at) < w - PAD - TICK))
			s.text(w - PAD, 10, momentIn(to, to - from), { colour: app.palette.dim, size: 11, anchor: 'end' });
	}

	#explain(el) {
		const { app } = this;
		const task = Number(el.closest('tr').dataset.task);
		const row = this.rows().find((r) => r.task === task);
		const key = el.dataset.card;

		if (!row)
			return null;
		if (key === 'delayed')
			return [`${app.who(task)}: waited ${exactNs(row.delayed_ns)}`, `preempted ${duration(row.preempted_ns)}, ${plural(row.preemptions ?? 0, 'time')}`,
			`waiting after wake-ups ${duration(row.waiting_ns)}, ${plural(row.waits ?? 0, 'time')}`,
			row.worst_ns ? `worst ${duration(row.worst_ns)} at ${moment(row.worst_at_ns, 6)}` : null];
		const ns = row[`${key}_ns`];

		if (ns === null || ns === undefined)
			return [`${app.who(task)}: ${STATE_WORDS[key]}`, 'not recorded: unknown'];
		return [`${app.who(task)}: ${STATE_WORDS[key]}`, exactNs(ns), `${percent(this.shares.get(task)?.[`${key}_percent`])} of the range`];
	}

	/** For saving: the matrix, and all rows as one picture. */
	drawings() {
		const { app } = this;
		const rows = this.rows();
		const has = (state) => rows.some((row) => row[`${state}_ns`] > 0);

		return [...this.delays.drawings(), { legend: stateItems(app.palette, has), height: () => rows.length * 24 + 40, draw: (s, w) => this.#drawAll(s, w, rows) }];
	}

	#drawAll(s, w, rows) {
		const { app } = this;
		const { palette } = app;
		const bar = d3.scaleLinear().domain([0, 100]).range([190, Math.round(190 + (w - 190) * 0.32)]);
		const scale = timeScale(app.range, Math.round(190 + (w - 190) * 0.58), w - 8);
		const bottom = rows.length * 24;

		drawValueAxis(s, palette, bar, 0, bottom, { unit: 'percent' });
		drawTimeAxis(s, palette, scale, 0, bottom);
		rows.forEach((row, i) => {
			const y = i * 24 + 3;
			const shares = this.shares.get(row.task);
			const worst = this.antagonists.of(row.task, 1)[0];
			let at = 0;

			s.text(182, y + 9, app.who(row.task), { colour: palette.text, anchor: 'end', room: 180 });
			for (const state of STATES) {
				const part = shares?.[`${state}_percent`] ?? 0;

				if (part && state === 'unknown')
					s.hatch(bar(at), y, bar(at + part) - bar(at), 18, palette.loss);
				else if (part)
					s.rect(bar(at), y, bar(at + part) - bar(at), 18, palette.states[state]);
				at += part;
			}
			s.text(bar(100) + 8, y + 9, row.delayed_ns === null ? 'waits unknown' : !row.delayed_ns ? 'never waited' : `${duration(row.delayed_ns)}${worst ?
				`, ${percent(worst.delayed_percent)} behind ${app.who(worst.antagonist)}` : ''}`,
				{ colour: palette.dim, size: 11, room: scale.range()[0] - bar(100) - 16 });
			this.lanes.draw(s, row.task, scale, y, 18);
		});
		drawLoss(s, palette, app.capture, scale, 0, bottom);
	}

	close() {
		this.story.close();
		this.delays.close();
		this.slices.drop();
		this.lanes.close();
		super.close();
	}
}

