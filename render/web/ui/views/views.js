// SPDX-License-Identifier: GPL-2.0-only
// The views, in order, and their keys.
import { CompareView } from './compare.js';
import { CoremapView } from './coremap.js';
import { CoresView } from './cores.js';
import { ExitsView } from './exits.js';
import { FlameView } from './flame.js';
import { SwitchesView } from './switches.js';
import { TasksView } from './tasks.js';
import { VcpusView } from './vcpus.js';

const VIEWS = [
	{ id: 'vcpus', key: '1', title: 'vCPUs', hint: 'where the time of every vCPU went, and which tasks delayed it', make: (app) => new VcpusView(app) },
	{ id: 'exits', key: '2', title: 'Exits', hint: 'why guests exited, how often and for how long', make: (app) => new ExitsView(app) },
	{ id: 'tasks', key: '3', title: 'Tasks', hint: 'run time, switches, wake-ups and latency of every task', make: (app) => new TasksView(app) },
	{ id: 'coremap', key: '4', title: 'Core map', hint: 'which task ran on which CPU', make: (app) => new CoremapView(app) },
	{ id: 'switches', key: '5', title: 'Switches', hint: 'how long tasks ran, slept and waited, over time', make: (app) => new SwitchesView(app) },
	{ id: 'cores', key: '6', title: 'Cores', hint: 'which task had each CPU, over time', make: (app) => new CoresView(app) },
	{ id: 'flame', key: '7', title: 'Flame graph', hint: 'call stacks of switch-outs, guest exits and wake-ups', needs: 'stacks', make: (app) => new FlameView(app) },
];
const COMPARE = { id: 'compare', key: '0', title: 'Comparison', hint: 'differences between the captures', make: (app) => new CompareView(app) };

export function viewsFor(page) {
	const views = VIEWS.filter((view) => (!page.only || view.id === page.only) && (!view.needs || page.captures.some((capture) => capture.has[view.needs])));

	return page.compare && !page.only ? [COMPARE, ...views] : views.length ? views : VIEWS;
}

// The data that a view needs, and what to record for it.
const NEEDS = {
	vcpus: { has: ['entry', 'exit'], record: "kvm:kvm_entry and kvm:kvm_exit (cdict record includes them; perf record -e 'sched:*' -e 'kvm:*')" },
	exits: { has: ['exit'], record: "kvm:kvm_exit and kvm:kvm_entry (cdict record includes them; perf record -e 'sched:*' -e 'kvm:*')" },
	tasks: { has: ['switch', 'waking', 'wakeup'], record: "sched:sched_switch and sched:sched_waking (perf record -e 'sched:*')" },
	coremap: { has: ['switch'], record: "sched:sched_switch (perf record -e 'sched:*')" },
	switches: { has: ['switch', 'entry', 'exit'], record: "sched:sched_switch (perf record -e 'sched:*')" },
	cores: { has: ['switch'], record: "sched:sched_switch (perf record -e 'sched:*')" },
	flame: { has: ['stacks'], record: 'stacks (cdict record -g, perf record -g)' },
};

/** Why the view is empty for this capture, and what to record; null: it is not. */
export function lacksOf({ id, title }, capture) {
	const needs = NEEDS[id];

	return !needs || needs.has.some((what) => capture.has[what]) ? null : `${title}: ${id === 'cores' && capture.embedded ? 'only the list of events, no CPUs' : 'nothing to show here'}. Record ${needs.record}.`;
}
