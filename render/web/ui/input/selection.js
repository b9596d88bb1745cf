// SPDX-License-Identifier: GPL-2.0-only
// The filter: which tasks, VMs and CPUs are wanted.

/** A search like -t: a leading * is .*, matches anywhere; without capitals it ignores case. null if it is not a regex. */
export function searchRegex(text) {
	try {
		return new RegExp(text.replace(/^\*/, '.*'), /\p{Lu}/u.test(text) ? '' : 'i');
	} catch {
		return null;
	}
}

/** The VM of all chosen tasks, as capture.tasks[].fold; null: none, or several. */
export function chosenVm(app) {
	if (!app.selection.any)
		return null;
	const names = new Set(app.capture.tasks.filter((t) => t.fold_kind === 'vm' && app.selection.task(t.index)).map((t) => t.fold));

	return names.size === 1 ? [...names][0] : null;
}

export class Selection {
	#cache = null;

	constructor(app) {
		this.app = app;
	}

	/** Called when the state or the capture may have changed. */
	changed() {
		this.#cache = null;
	}

	get any() {
		const { tasks, vms, groups, search } = this.app.state;

		return tasks.length > 0 || vms.length > 0 || groups.length > 0 || search !== '';
	}

	#wanted() {
		const { app } = this;
		const { tasks, vms, groups, search } = app.state;
		const named = new Set(tasks);
		const regex = search ? searchRegex(search) : null;

		return app.capture.tasks.map((t) => {
			// a VM's story has the kernel's threads that serve it
			const inVm = vms.includes(t.vm) || (t.fold_kind === 'vm' && vms.includes(t.fold));

			if ((named.size || vms.length || groups.length) && !named.has(t.index) && !inVm && !groups.includes(t.fold))
				return false;
			return !regex || regex.test(t.name) || regex.test(t.comm ?? '') || (t.vm !== null && regex.test(t.vm));
		});
	}

	/** Whether the task is wanted; IDLE only when nothing is filtered. */
	task(index) {
		if (!this.any)
			return true;
		if (index === null)
			return false;
		this.#cache ??= this.#wanted();
		return this.#cache[index] ?? false;
	}

	/** Indexes of the wanted tasks, null when that is all of them. */
	list() {
		if (!this.any)
			return null;
		this.#cache ??= this.#wanted();
		return this.app.capture.tasks.filter((t) => this.#cache[t.index] && t.tid !== 0).map((t) => t.index);
	}

	cpu(cpu) {
		return !this.app.state.cpus.length || this.app.state.cpus.includes(cpu);
	}

	reason(reason) {
		return !this.app.state.reasons.length || this.app.state.reasons.includes(reason);
	}

	state(state) {
		return !this.app.state.states.length || this.app.state.states.includes(state);
	}

	/** "all tasks but IDLE", "CPU 0/KVM-1044", "VM 1044", "3 tasks", for captions. */
	words() {
		const { tasks, vms, groups, search, cpus } = this.app.state;
		const parts = [];

		if (tasks.length)
			parts.push(tasks.length > 3 ? `${tasks.length} tasks` : tasks.map((t) => this.app.who(t)).join(', '));
		if (vms.length)
			parts.push(`VM ${vms.join(', ')}`);
		if (groups.length)
			parts.push(groups.join(', '));
		if (search)
			parts.push(`tasks matching ${search}`);
		if (cpus.length)
			parts.push(`CPUs ${cpus.join(', ')}`);
		return parts.join(' · ') || 'all tasks';
	}
}
