// SPDX-License-Identifier: GPL-2.0-only
// Who delayed whom: a matrix of VMs, and the worst wait of the clicked pair; or who ran on the other thread of a core.
import { aroundOf } from '../details.js';
import { ENTER, button, choice, h, named, replace } from '../dom.js';
import { Chosen, isVm, vmRows } from '../groups.js';
import { clean, count, duration, percent, plural, vmName } from '../text.js';
import { Wait } from './wait.js';

// The kinds of matrix: keys of the table, and the texts around it.
const FACES = {
	delays: {
		name: 'Delay by antagonist', title: 'which task or VM had the CPU while the vCPUs of a VM waited for it', who: 'behind', ns: 'behind_ns', percent: 'delayed_percent', sum: 'vm_delayed_ns', over: 'behind',
		column: 'vCPUs waited', columnTitle: 'preempted and waiting, of all its vCPUs together',
		says: (vm, who, ns, share) => `${vm} waited ${ns} behind ${who}, ${share} of its waiting`,
	},
	beside: {
		name: 'Guest time by sibling', title: 'which task or VM had the other thread of the core while the vCPUs of a VM were in the guest', who: 'beside', ns: 'beside_ns', percent: 'beside_percent', sum: 'vm_beside_ns', over: 'beside',
		column: 'in guest', columnTitle: 'time in the guest, of all its vCPUs; once for each other thread of the core',
		says: (vm, who, ns, share) => `while ${vm} was in the guest, ${who} had the other thread of its core for ${ns}, ${share} of that time`,
	},
};
// rows, unless all are wanted: as many as leave room for the part above and the first vCPUs
const LEAST_VMS = 8, PAPER_VMS = 8, ABOVE = 580, ROW = 25;
const SHEET = 1032, SHEET_COLUMN = 84; // on paper, without shares
const NAMES = 270, COLUMN = 112; // pixels: before and after the columns, and each column
const SHARE = 60; // of a VM's sum, not on paper
const BEFORE = 240 + SHARE; // of them, before the columns
const LONG = 16, LETTER = 7.5; // of a name in a column's head: letters, and pixels of each

const TALL = 23; // a row of the picture
const MOSTLY = 0.95; // of the CPUs' time must be known

/** The colours @a and @b mixed, with @part of @b. */
function mixed(a, b, part) {
	const [p, q] = [a, b].map((colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)));

	return `#${p.map((v, i) => Math.round(v + (q[i] - v) * part).toString(16).padStart(2, '0')).join('')}`;
}

/** {vms, others, more}: the columns: the longest antagonists of these VMs, as many as have room; VMs in the order of rows. */
function columnsOf(rows, vms, all, { who, ns }) {
	const totals = new Map();

	for (const row of rows)
		if (vms.includes(row.vm))
			totals.set(row[who], (totals.get(row[who]) ?? 0) + row[ns]);
	const sorted = [...totals].sort((a, b) => b[1] - a[1]).map(([other]) => other);
	const room = Math.max(2, Math.floor(document.documentElement.dataset.print ? (SHEET - NAMES) / SHEET_COLUMN : (innerWidth - NAMES - SHARE) / COLUMN));
	const shown = all || sorted.length <= room ? sorted : sorted.slice(0, room - 1);

	return { vms: vms.filter((vm) => shown.includes(vm)), others: shown.filter((other) => !vms.includes(other)), more: sorted.slice(shown.length) };
}

export class WhoDelayed {
	constructor(view) {
		this.view = view;
		this.app = view.app;
		this.all = false;
		this.wait = new Wait(view);
		this.chosen = new Chosen(this.app, 'vcpus', () => view.vmsKnown(), { cpus: false });
		this.words = h('span', { class: 'capacity' });
		this.button = button('', 'show every VM and every antagonist', () => this.#unfold(), { class: 'link' });
		this.box = h('div', { class: 'delays-scroll' });
		this.matrix = h('div', null, h('div', { class: 'heat-head' },
			this.faces = h('h3'), this.words, this.button), this.box);
		this.el = h('section', { class: 'delays-box', 'aria-label': 'delay by antagonist', hidden: true }, this.matrix, this.wait.el);
	}

	update(change) {
		if (change.figures || change.filter || change.options)
			this.draw();
		this.wait.update(change);
		this.el.hidden = this.matrix.hidden && this.wait.el.hidden;
	}

	/** Rows of the wanted vCPUs; none until they are known. */
	#rows() {
		return vmRows(this.app, this.chosen, this.table).filter((row) => row[this.face.ns] > 0);
	}

	/** Why siblings' tasks are unknown, or null. */
	#lacksBeside() {
		const { siblings } = this.app.capture;

		if (siblings.some((threads) => threads.length > 1))
			return null;
		return siblings.length ? 'no core of this host has two threads: no task runs beside a vCPU' : 'CPU topology unknown: cannot tell which CPUs share a core';
	}

	#unfold() {
		this.all = !this.all;
		this.draw();
	}

	draw() {
		const lacks = this.#lacksBeside();

		this.table = this.app.state.matrix === 'beside' && !lacks ? 'beside' : 'delays';
		this.face = FACES[this.table];
		this.app.has(this.table);
		replace(this.faces, choice(null, Object.entries(FACES).map(([key, { name, title }]) => [key, name, key === 'beside' && lacks ? lacks : title]), this.table, (matrix) => this.app.set({ matrix })));
		this.faces.querySelector('[data-choice=beside]').disabled = !!lacks;
		const rows = this.#rows();
		const all = [...new Set(rows.map((row) => row.vm))]; // rows are worst first
		const vms = this.all ? all : all.slice(0, document.documentElement.dataset.print ? PAPER_VMS : Math.max(LEAST_VMS, Math.floor((innerHeight - ABOVE) / ROW)));
		const columns = columnsOf(rows, vms, this.all, this.face);
		const hidden = [all.length > vms.length ? plural(all.length - vms.length, 'more VM') : null, columns.more.length ? plural(columns.more.length, 'more column') : null].filter(Boolean).join(', ');

		this.matrix.hidden = rows.length === 0 && this.table === 'delays' && !this.chosen.waits;
		this.words.textContent = this.#capacity();
		this.button.hidden = !hidden && !this.all;
		this.button.textContent = this.all ? 'fewer' : hidden;
		this.drawn = rows.length ? { rows, shown: vms, columns } : null;
		replace(this.box, rows.length ? this.#table(rows, vms, columns) : null);
	}

	/** For saving: the matrix. */
	drawings() {
		const { app, drawn, face } = this;

		return drawn ? [{ title: [face.name, this.#capacity()].filter(Boolean).join('; '), height: () => (drawn.shown.length + 1) * TALL + 6, draw: (s, w) => this.#drawMatrix(s, w, drawn, app.palette) }] : [];
	}

	#drawMatrix(s, w, { rows, shown, columns: { vms, others } }, palette) {
		const { who, ns, percent: share, sum, column } = this.face;
		const most = Math.max(...rows.map((row) => row[ns]));
		const columns = [...vms, ...others];
		const left = 240, wide = Math.min(120, (w - left - 10) / columns.length);
		const x = (i) => left + i * wide + (vms.length && i >= vms.length ? 10 : 0);

		s.text(left - 8, 9, column, { colour: palette.dim, size: 11, anchor: 'end' });
		columns.forEach((name, i) => s.text(x(i) + wide - 8, 9, this.#nameOf(name), { colour: palette.dim, size: 11, anchor: 'end', room: wide - 12 }));
		shown.forEach((vm, k) => {
			const y = (k + 1) * TALL;
			const own = rows.filter((row) => row.vm === vm);

			s.text(0, y + 11, this.#nameOf(vm), { colour: palette.text, room: left - 90 });
			s.text(left - 8, y + 11, duration(own[0][sum]), { colour: palette.text, anchor: 'end', weight: 600 });
			columns.forEach((other, i) => {
				const row = own.find((r) => r[who] === other);

				if (!row)
					return;
				s.rect(x(i), y, wide - 1, TALL - 1, mixed(palette.paper, palette.states.preempted, 0.04 + 0.56 * row[ns] / most));
				s.text(x(i) + wide - 8, y + 11, duration(row[ns]), { colour: palette.text, anchor: 'end' });
				if (wide > 90)
					s.text(x(i) + 6, y + 11, percent(row[share]), { colour: palette.text, size: 11 });
			});
		});
	}

	/** Display names of VMs and others. */
	#nameOf(name) {
		return isVm(this.app, name) ? vmName(name) : clean(name);
	}

	/** The same text as in cdict vcpu --by vm. */
	#capacity() {
		const [had] = this.app.rows('capacity');

		if (!had)
			return '';
		if (!had.known_ns)
			return `${plural(had.vcpus, 'vCPU')}; CPU use is unknown`;
		const [from, to] = this.app.figures.shown.range;
		const part = had.known_ns < MOSTLY * had.cpus * (to - from) ? ' of the known time' : '';

		return `${plural(had.cpus, 'CPU')}, ${had.busy_percent.toFixed(0)} % busy${part}, ${plural(had.vcpus, 'vCPU')}: ${had.overcommitted ? 'overcommitted' : 'a CPU for each'}`;
	}

	#table(rows, shown, { vms, others, more }) {
		const { who, ns, sum, over, column, columnTitle } = this.face;
		const at = new Map(rows.map((row) => [`${row.vm}\n${row[who]}`, row]));
		const most = Math.max(...rows.map((row) => row[ns]));
		// whole names if there is room
		const wide = (name) => Math.max(COLUMN, Math.min([...name].length, LONG) * LETTER + 14);
		const few = !document.documentElement.dataset.print && [...vms, ...others].reduce((sum, other) => sum + wide(this.#nameOf(other)), BEFORE + (more.length ? COLUMN : 0)) <= innerWidth;
		const head = (text, props) => h('th', { class: 'num', title: text, scope: 'col', ...props }, named(text, few ? 130 : 102));

		return h('table', { class: few ? 'delays few' : 'delays', data: { table: this.table } },
			h('thead', null,
				h('tr', null, h('td', { colspan: '2' }), vms.length ? h('th', { colspan: String(vms.length), class: 'over', css: { '--columns': vms.length }, scope: 'colgroup' }, vms.length === 1 && vms[0] === shown[0] && shown.length === 1 ? `${over} itself` : `${over} these VMs (underlined: itself)`) : null,
					others.length ? h('th', { colspan: String(others.length + (more.length ? 1 : 0)), class: 'over first', scope: 'colgroup' }, `${over} others`) : null),
				h('tr', null, h('th', { scope: 'col' }, this.table === 'beside' ? 'VM, longest first' : 'VM, worst first'), h('th', { class: 'num', scope: 'col', title: columnTitle }, column),
					vms.map((vm) => head(this.#nameOf(vm))), others.map((other, i) => head(this.#nameOf(other), { class: i ? 'num' : 'num first' })),
					more.length ? head('the rest', { title: more.map(clean).slice(0, 20).join(', ') }) : null)),
			h('tbody', null, shown.map((vm, i) => {
				const own = rows.filter((row) => row.vm === vm);
				const rest = own.filter((row) => more.includes(row[who]));

				return h('tr', { data: { row: i, vm } },
					h('th', { class: 'who', scope: 'row', title: this.#nameOf(vm) }, h('a', { class: 'pick', role: 'button', ...ENTER, title: 'click: only this VM', on: { click: () => this.app.toggle('vms', vm) } }, named(this.#nameOf(vm), 134))),
					this.#sumCell(vm, sum, own[0][sum]),
					vms.map((other) => this.#cell(at.get(`${vm}\n${other}`), most, other === vm)),
					others.map((other, k) => this.#cell(at.get(`${vm}\n${other}`), most, false, k === 0)),
					more.length ? this.#restCell(rest) : null);
			})));
	}

	/** A VM's sum, and what it is a part of: the time of all its vCPUs. */
	#sumCell(vm, key, ns) {
		const group = key === 'vm_delayed_ns' ? (this.chosen.rows('vcpu_groups') ?? []).find((row) => row.group === vm) : null;

		return h('td', { class: 'num strong', data: { key, value: ns }, title: group ? `${percent(group.delayed_percent)} of the time of its ${plural(group.tasks, 'vCPU')} together` : null }, duration(ns),
			group ? h('span', { class: 'share' }, percent(group.delayed_percent)) : null);
	}

	/** Antagonists without a column: their number, and the worst one's time. */
	#restCell(rows) {
		const { who, ns, percent: share } = this.face;
		const [worst] = [...rows].sort((a, b) => b[ns] - a[ns]);

		return h('td', { class: 'num rest', data: worst ? { key: ns, value: worst[ns], [who]: worst[who] } : {} }, worst ? button([h('span', { class: 'share' }, `${count(rows.length)} more`), h('span', null, `≤ ${duration(worst[ns])}`)],
			`${count(rows.length)} more, the worst ${this.#nameOf(worst[who])} with ${percent(worst[share])}; click: show all antagonists`, () => this.#unfold(), { class: 'link' }) : '');
	}

	#cell(row, most, self, first = false) {
		const kind = `${self ? ' self' : ''}${first ? ' first' : ''}`;

		if (!row)
			return h('td', { class: first ? 'num first' : 'num' });
		const { who, ns, percent: share } = this.face;
		const text = [h('span', null, duration(row[ns])), h('span', { class: 'share' }, percent(row[share]))];
		const opens = (row.worst_ns ?? null) !== null, both = !opens && ['vm', 'self', 'task', 'kernel'].includes(row[`${who}_kind`]);
		const says = this.face.says(this.#nameOf(row.vm), self ? 'itself' : this.#nameOf(row[who]), duration(row[ns]), percent(row[share])) +
			(opens ? `; worst wait ${duration(row.worst_ns)}, ${duration(row.worst_held_ns)} of it behind ${this.app.who(row.worst_antagonist)}: click to show it` : '') + (both ? ': click to show both on the CPUs' : '');

		return h('td', { class: `num cell${kind}`, css: { '--part': (row[ns] / most).toFixed(3) }, data: { key: ns, value: row[ns], [who]: row[who] } },
			opens || both ? h('button', { type: 'button', title: says, 'aria-label': says, on: { click: () => (opens ? this.#open(row) : this.#both([row.vm, row[who]])) } }, text)
				: h('span', { class: 'still', title: says }, text));
	}

	/** Shows where these ran, each in its own colour. */
	#both(names) {
		const { app } = this;

		app.set({ view: 'cores', vms: names.filter((name) => isVm(app, name)), groups: names.filter((name) => !isVm(app, name)), tasks: [], paint: 'group' });
	}

	/** Opens the wait with a fifth of its length before and after it. */
	#open(row) {
		const [from, to] = [row.worst_at_ns, row.worst_at_ns + row.worst_ns];

		this.app.set({
			range: aroundOf({ from, to }),
			wait: [from, to, row.worst_task, row.worst_antagonist, row.worst_cpu, row.worst_held_ns],
		});
	}

	close() {
		this.chosen.close();
		this.wait.close();
	}
}
