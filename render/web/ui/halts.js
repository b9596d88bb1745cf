// SPDX-License-Identifier: GPL-2.0-only
// How the halts of each VM ended, and their cost: the table of cdict vcpu --by halt, by VM.
import { h, named } from './dom.js';
import { Chosen, vmRows } from './groups.js';
import { Table } from './table.js';
import { count, vmName } from './text.js';

const column = (key, title, hint) => ({ key, title, hint });
const COST = [
	column('hlt_cpu_ns', 'HLT on CPU', 'time on a CPU for HLT and similar exits, polling included'),
	column('hlt_cpu_percent', 'of a CPU', 'the same in percent of the shown time'),
];
const ENDS = [
	column('halts', 'halts'),
	column('polled', 'polled', 'halts that ended while KVM polled, which keeps the CPU busy'), column('polled_percent', 'share'), column('polled_ns', 'polled for', 'polling until the guest was woken'),
	column('slept', 'slept', 'halts that ended asleep: any polling before was in vain'), column('slept_ns', 'slept for', 'until the guest was woken, polling in vain included'),
];
const LIMIT = [column('poll_limit_ns', 'limit', 'the longest time that KVM would poll'), column('poll_grown', 'grown', 'how often the limit was raised'), column('poll_shrunk', 'shrunk', 'how often it was lowered')];

export class Halts {
	constructor(app, file) {
		this.app = app;
		this.note = h('p', { class: 'dim' });
		this.table = new Table([], { app, name: 'halts_vms', file, sort: ['hlt_cpu_ns', 'desc'], rowData: (row) => ({ vm: row.vm }) });
		this.open = 0;
		this.chosen = new Chosen(app, 'vcpus', () => this.#draw(), { cpus: false });
		this.el = h('section', { class: 'halts', hidden: true }, h('h3', null, 'Idle guests: halts by VM'), this.note, this.table.el);
	}

	/** @open: number of halts without an end. */
	update(open) {
		this.open = open;
		this.chosen.ask();
		this.#draw();
	}

	/** With chosen vCPUs the table is theirs, once it is known. */
	#draw() {
		const { app } = this;
		const rows = vmRows(app, this.chosen, 'halts_vms').filter((row) => row.hlt_cpu_ns || row.halts);
		const [first] = rows;

		this.el.hidden = !first;
		if (!first)
			return;
		const ends = first.halts !== null, limit = first.poll_limit_ns !== null;
		const missing = [ends ? null : 'kvm:kvm_vcpu_wakeup', limit ? null : 'kvm:kvm_halt_poll_ns'].filter(Boolean);

		this.note.hidden = !missing.length && !this.open;
		this.note.textContent = [this.open ? `HLT on CPU includes halts that had not ended (${count(this.open)}).` : null, missing.length ? `No ${missing.join(' and ')} events: cannot tell ${[ends ? null : 'whether KVM polled or the vCPU slept', limit ? null : 'how long KVM would poll'].filter(Boolean).join(', and ')}.` : null].filter(Boolean).join(' ');
		this.table.setColumns([{ key: 'vm', title: 'VM', text: true, show: (row) => named(vmName(row.vm), 158) }, column('vcpus', 'vCPUs'),
		...first.hlt_cpu_ns === null ? [] : COST, ...ends ? ENDS : [], ...limit ? LIMIT : []]);
		this.table.setRows(rows);
	}

	close() {
		this.chosen.close();
	}
}
