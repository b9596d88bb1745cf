// SPDX-License-Identifier: GPL-2.0-only
// Who delayed whom: a matrix of VMs, and the worst wait of the pair that was clicked.
import { button, h, replace } from './dom.js';
import { clean, duration, percent, plural } from './text.js';
import { Wait, aroundOf } from './wait.js';

const MOST_VMS = 8, MOST_OTHERS = 5; // rows and columns, unless all are asked for

/** {vms, others, more}: whose columns there are, those who were in the way most; VMs as the rows are. */
function columnsOf(rows, vms, all) {
	const others = new Map();

	for (const row of rows) {
		if (!vms.includes(row.behind) || !['vm', 'self'].includes(row.behind_kind))
			others.set(row.behind, (others.get(row.behind) ?? 0) + row.behind_ns);
	}
	const sorted = [...others].sort((a, b) => b[1] - a[1]).map(([behind]) => behind);
	const most = all ? sorted.length : MOST_OTHERS;

	return { vms, others: sorted.slice(0, most), more: sorted.slice(most) };
}

export class WhoDelayed {
	constructor(view) {
		this.view = view;
		this.app = view.app;
		this.all = false;
		this.wait = new Wait(view);
		this.words = h('span', { class: 'capacity' });
		this.button = button('', 'every VM, and everybody who was in their way', () => {
			this.all = !this.all;
			this.#draw();
		}, { class: 'link' });
		this.box = h('div', { class: 'delays-scroll' });
		this.matrix = h('div', null, h('div', { class: 'heat-head' },
			h('h3', null, 'Who delayed whom'), this.words, this.button), this.box);
		this.el = h('section', { class: 'delays-box', 'aria-label': 'who delayed whom', hidden: true }, this.matrix, this.wait.el);
	}

	update(change) {
		if (change.figures || change.filter || change.options)
			this.#draw();
		this.wait.update(change);
		this.el.hidden = this.matrix.hidden && this.wait.el.hidden;
	}

	/** Rows of the VMs that are wanted. */
	#rows() {
		const { app } = this;
		const wanted = new Set(app.capture.tasks.filter((t) => app.selection.task(t.index)).map((t) => t.vm ?? t.name));

		return app.rows('delays').filter((row) => wanted.has(row.vm) && row.behind_ns > 0);
	}

	#draw() {
		const rows = this.#rows();
		const all = [...new Set(rows.map((row) => row.vm))]; // the rows come worst first
		const vms = this.all ? all : all.slice(0, MOST_VMS);
		const columns = columnsOf(rows, vms, this.all);
		const hidden = all.length - vms.length + columns.more.length;

		this.matrix.hidden = rows.length === 0;
		this.words.textContent = this.#capacity();
		this.button.hidden = !hidden && !this.all;
		this.button.textContent = this.all ? 'fewer' : `${hidden} more`;
		if (rows.length)
			replace(this.box, this.#table(rows, columns));
	}

	/** As cdict vcpu --by vm says it. */
	#capacity() {
		const [had] = this.app.rows('capacity');

		if (!had)
			return '';
		if (!had.known_ns)
			return `${plural(had.vcpus, 'vCPU')}; who ran on the CPUs is unknown`;
		return `${plural(had.cpus, 'CPU')}, ${had.busy_percent.toFixed(0)} % busy, ${plural(had.vcpus, 'vCPU')}: ${had.overcommitted ? 'overcommitted' : 'a CPU for each'}`;
	}

	#table(rows, { vms, others, more }) {
		const at = new Map(rows.map((row) => [`${row.vm}\n${row.behind}`, row]));
		const most = Math.max(...rows.map((row) => row.behind_ns));
		const head = (text, props) => h('th', { class: 'num', title: clean(text), scope: 'col', ...props }, h('bdi', null, clean(text)));

		return h('table', { class: 'delays', data: { table: 'delays' } },
			h('thead', null,
				h('tr', null, h('td', { colspan: '2' }), h('th', { colspan: String(vms.length), class: 'over', scope: 'colgroup' }, 'behind VM'),
					others.length ? h('th', { colspan: String(others.length + (more.length ? 1 : 0)), class: 'over first', scope: 'colgroup' }, 'behind others') : null),
				h('tr', null, h('th', { scope: 'col' }, 'VM, worst first'), h('th', { class: 'num', scope: 'col', title: 'preempted and waiting, of all its vCPUs' }, 'waited'),
					vms.map((vm) => head(vm)), others.map((behind, i) => head(behind, { class: i ? 'num' : 'num first' })),
					more.length ? head('the rest', { title: more.map(clean).slice(0, 20).join(', ') }) : null)),
			h('tbody', null, vms.map((vm, i) => {
				const own = rows.filter((row) => row.vm === vm);
				const rest = own.filter((row) => more.includes(row.behind)).reduce((sum, row) => sum + row.behind_ns, 0);

				return h('tr', { data: { row: i, vm } },
					h('th', { class: 'who', scope: 'row', title: clean(vm) }, h('a', { class: 'pick', title: 'click: only this VM', on: { click: () => this.app.toggle('vms', vm) } }, h('bdi', null, clean(vm)))),
					h('td', { class: 'num strong', data: { key: 'vm_delayed_ns', value: own[0].vm_delayed_ns } }, duration(own[0].vm_delayed_ns)),
					vms.map((behind) => this.#cell(at.get(`${vm}\n${behind}`), most, behind === vm)),
					others.map((behind, k) => this.#cell(at.get(`${vm}\n${behind}`), most, false, k === 0)),
					more.length ? h('td', { class: 'num dim' }, rest ? duration(rest) : '') : null);
			})));
	}

	#cell(row, most, self, first = false) {
		const kind = `${self ? ' self' : ''}${first ? ' first' : ''}`;

		if (!row)
			return h('td', { class: `num${kind}` });
		const text = [h('span', null, duration(row.behind_ns)), h('span', { class: 'share' }, percent(row.delayed_percent))];
		const says = `${clean(row.vm)} waited ${duration(row.behind_ns)} behind ${self ? 'itself' : clean(row.behind)}, ${percent(row.delayed_percent)} of its delay` +
			(row.worst_ns === null ? '' : `; worst wait ${duration(row.worst_ns)}, ${duration(row.worst_held_ns)} of it behind ${this.app.who(row.worst_antagonist)}: click shows it`);

		return h('td', { class: `num cell${kind}`, css: { '--part': (row.behind_ns / most).toFixed(3) }, data: { key: 'behind_ns', value: row.behind_ns, behind: row.behind } },
			row.worst_ns === null ? h('span', { class: 'still', title: says }, text)
				: h('button', { type: 'button', title: says, 'aria-label': says, on: { click: () => this.#open(row) } }, text));
	}

	/** The wait with a fifth of its length before and after it. */
	#open(row) {
		const [from, to] = [row.worst_at_ns, row.worst_at_ns + row.worst_ns];

		this.app.set({
			range: aroundOf({ from, to }),
			wait: [from, to, row.worst_task, row.worst_antagonist, row.worst_cpu, row.worst_held_ns],
		});
	}

	close() {
		this.wait.close();
	}
}
