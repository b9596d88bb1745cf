// SPDX-License-Identifier: GPL-2.0-only
//
// The events that the figures know, and where their fields are. As analyze/types.c.

import { high32, low32 } from '../decode/bytes.js';
import { Want } from '../decode/order.js';
import { KIND as FIELD, fieldIndex } from '../decode/schema.js';
import { parseSymbols } from './symbols.js';

export const KIND = {
	OTHER: 0,
	SWITCH: 1,
	WAKING: 2,
	WAKEUP: 3,
	WAKEUP_NEW: 4,
	MIGRATE: 5,
	RUNTIME: 6,
	IOWAIT: 7,
	FORK: 8,
	EXEC: 9,
	EXIT: 10,
	KVM_ENTRY: 11,
	KVM_EXIT: 12,
	KVM_USERSPACE: 13,
	KVM_PIO: 14,
	KVM_MMIO: 15,
	KVM_MSR: 16,
	KVM_VIRQ: 17,
};

// Why a task is off its CPU: prev_state when it was switched out.
export const OFF = { RUNNABLE: 0, PREEMPTED: 1, SLEEP: 2, DISK: 3, OTHER: 4, DEAD: 5, UNKNOWN: 6 };

const wake = (name, kind) => [`sched:sched_${name}`, kind, ['pid', 'target_cpu|cpu', 'comm'], 1];

// name, kind, fields (alternatives by |), how many of them must be there.
const KNOWN = [
	[
		'sched:sched_switch',
		KIND.SWITCH,
		['prev_pid', 'next_pid', 'prev_state', 'prev_comm', 'next_comm'],
		3,
	],
	wake('waking', KIND.WAKING),
	wake('wakeup', KIND.WAKEUP),
	wake('wakeup_new', KIND.WAKEUP_NEW),
	['sched:sched_migrate_task', KIND.MIGRATE, ['pid', 'orig_cpu', 'dest_cpu'], 3],
	['sched:sched_stat_runtime', KIND.RUNTIME, ['pid', 'runtime|delay'], 2],
	['sched:sched_stat_iowait', KIND.IOWAIT, ['pid', 'runtime|delay'], 2],
	['sched:sched_process_fork', KIND.FORK, ['child_pid', 'child_comm'], 1],
	['sched:sched_process_exec', KIND.EXEC, ['pid', 'old_pid'], 2],
	['kvm:kvm_entry', KIND.KVM_ENTRY, ['vcpu_id'], 0],
	[
		'kvm:kvm_exit',
		KIND.KVM_EXIT,
		['vcpu_id', 'exit_reason|ret|exit_nr|reason|scause', 'esr_ec', 'isa'],
		0,
	],
	['kvm:kvm_userspace_exit', KIND.KVM_USERSPACE, ['vcpu_id', 'reason'], 0],
	['kvm:kvm_pio', KIND.KVM_PIO, ['vcpu_id', 'port', 'rw'], 0],
	['kvm:kvm_mmio', KIND.KVM_MMIO, ['vcpu_id', 'gpa', 'type'], 0],
	['kvm:kvm_msr', KIND.KVM_MSR, ['vcpu_id', 'ecx', 'write'], 0],
	['kvm:kvm_inj_virq', KIND.KVM_VIRQ, ['vcpu_id', 'vector|irq'], 0],
];
const BY_NAME = new Map(KNOWN.map((k) => [k[0], k]));

// What no figure looks at needs no decoding.
const UNUSED = new Set(['sched:sched_stat_runtime']);

function findField(type, names) {
	for (const name of names.split('|')) {
		const at = fieldIndex(type, name);
		if (at >= 0) return at;
	}
	return -1;
}

// {kind, fields}: the numbers of the fields in the order above, -1 where absent.
function resolve(type) {
	const other = { kind: KIND.OTHER, fields: [] };
	const known = BY_NAME.get(type.name);
	if (!known) return other;
	const [, kind, names, needed] = known;
	const fields = names.map((name) => {
		const at = findField(type, name);
		const text = name.includes('comm');
		return at >= 0 && type.fields[at].kind > FIELD.INT === text ? at : -1;
	});
	return fields.slice(0, needed).includes(-1) ? other : { kind, fields };
}

// ---- prev_state -----------------------------------------------------------------------------

// One letter to a class: fs/proc/array.c, task_state_array.
function letterClass(c) {
	if (c === 'S' || c === 'I') return OFF.SLEEP;
	if (c === 'D') return OFF.DISK;
	return c === 'X' || c === 'x' || c === 'Z' ? OFF.DEAD : OFF.OTHER;
}

class States {
	constructor(format) {
		this.off = new Map(); // bit number -> class
		this.cache = new Map();
		const flags = format.indexOf('__print_flags(');
		const list = flags < 0 ? -1 : format.indexOf('{', flags);
		if (list >= 0)
			for (const [bit, name] of parseSymbols(format, list)[0]) this.add(bit, name[0] ?? '');
		// since Linux 4.14, from bit 0 on
		if (!this.off.size) [...'SDTtXZPI'].forEach((letter, i) => this.add(1n << BigInt(i), letter));
	}
	add(bit, letter) {
		if (!bit || bit & (bit - 1n) || letter === 'R') return;
		this.off.set(bit.toString(2).length - 1, letterClass(letter));
	}
	// The lowest named bit decides, as perf's and the kernel's printing do.
	of(state) {
		let c = this.cache.get(state);
		if (c === undefined) {
			c = state ? OFF.PREEMPTED : OFF.RUNNABLE;
			const [low, high] = [low32(state), high32(state)];
			for (let bit = 63; bit >= 0; bit--)
				if (((bit < 32 ? low >>> bit : high >>> (bit - 32)) & 1) !== 0 && this.off.has(bit))
					c = this.off.get(bit);
			if (this.cache.size < 4096) this.cache.set(state, c);
		}
		return c;
	}
}

// ---- all types of a file --------------------------------------------------------------------

// PERF_RECORD_FORK, COMM, EXIT by time; those of time 0 were there before.
function sortRecords(file) {
	return file.tasks
		.map((r) => ({ ...r, early: r.t === 0, at: Number(file.relative(r.t)) }))
		.sort((a, b) => a.at - b.at);
}

// What every walk over a file knows of it.
export class Types {
	constructor(file) {
		const { schema } = file;
		this.records = sortRecords(file);
		this.infos = schema.types.map(resolve);
		const has = (kind) => this.infos.some((i) => i.kind === kind);
		const sw = schema.types.find((t, i) => this.infos[i].kind === KIND.SWITCH);
		this.states = new States(sw ? sw.format : '');
		this.has = {
			switch: has(KIND.SWITCH),
			waking: has(KIND.WAKING),
			wakeup: has(KIND.WAKEUP),
			migrate: has(KIND.MIGRATE),
			iowait: has(KIND.IOWAIT),
			runtime: has(KIND.RUNTIME),
			entry: has(KIND.KVM_ENTRY),
			exit: has(KIND.KVM_EXIT),
			userspace_exit: has(KIND.KVM_USERSPACE),
		};
		// Else nobody knows how often a task was woken.
		this.knowsWakeups = this.has.waking || this.has.wakeup;
		// The fields that the figures need.
		this.want = new Want('figures', (type) => {
			const info = this.infos[type.index];
			return UNUSED.has(type.name) ? [] : info.fields.filter((f) => f >= 0);
		});
	}

	// Per type of a block {kind, c}: its kind and the columns of its fields, null where absent.
	columns(batch) {
		batch.known ??= batch.types.map(({ type, columns }) => {
			const { kind, fields } = this.infos[type.index];
			const c = fields.map((f) => (f >= 0 ? columns[f] : null));
			while (c.length < 5) c.push(null);
			return { kind, c };
		});
		return batch.known;
	}
}
