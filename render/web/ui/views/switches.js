// SPDX-License-Identifier: GPL-2.0-only
// View 5: how long tasks ran, slept and waited, over time; and at which offset in the second.
import { h, replace } from '../dom.js';
import { HeatMap, KINDS } from '../marks/heat.js';
import { SecondMap } from './subsecond.js';
import { View } from './view.js';

const WORDS = { run: 'runs', sleep: 'off the CPU', wakeup: 'wake-up latency', guest: 'in the guest', exit: 'exits' };

const PAPER = 640; // approximate rest of a sheet under the head

export class SwitchesView extends View {
	constructor(app) {
		super(app, 'Context switches: how long tasks ran, slept and waited');
		this.tools = h('div', { class: 'tools' });
		this.left = h('div');
		this.second = new SecondMap(this);
		this.el.append(this.tools, h('div', { class: 'two switches-two' }, this.left, this.second.el));
		this.maps = new Map();
	}

	kinds() {
		const there = this.app.capture.bins.heat;

		return Object.keys(KINDS).filter((kind) => there[kind]);
	}

	chosen() {
		const kinds = this.kinds();
		const wanted = this.app.state.heat.filter((kind) => kinds.includes(kind));

		return wanted.length ? kinds.filter((kind) => wanted.includes(kind)) : kinds.slice(0, 1);
	}

	update(change) {
		const { app } = this;
		const chosen = this.chosen();

		this.second.place();
		if (change.options || change.filter || change.figures || !this.maps.size)
			this.#arrange(chosen);
		for (const map of this.maps.values()) {
			if (change.figures || change.filter || change.options)
				map.follow();
			else
				map.plot.paint();
		}
		if (change.figures || change.filter || change.options || change.range)
			this.second.follow(chosen[0] ?? 'run', app.range);
	}

	#arrange(chosen) {
		const { app } = this;

		replace(this.tools, h('span', { class: 'dim' }, 'show'), this.kinds().map((kind) => {
			const box = h('input', {
				type: 'checkbox', on: {
					change: () => {
						const next = chosen.includes(kind) ? chosen.filter((k) => k !== kind) : [...chosen, kind];
						app.set({ heat: next.length ? next : chosen });
					}
				}
			});

			box.checked = chosen.includes(kind);
			return h('label', { class: 'check', data: { kind } }, box, WORDS[kind]);
		}), h('span', { class: 'dim hint' }, app.selection.any ? app.selection.words() : 'all tasks but IDLE'));
		if ([...this.maps.keys()].join() === chosen.join())
			return;
		for (const map of this.maps.values()) {
			map.close();
			this.drop(map.plot);
		}
		// as tall as there is room under the head
		const room = document.documentElement.dataset.print ? PAPER : innerHeight;
		const head = document.documentElement.dataset.print ? 0 : this.left.getBoundingClientRect().top + scrollY;
		const height = Math.max(170, Math.min(720, (room - Math.max(330, head)) / chosen.length - 50));

		this.maps = new Map(chosen.map((kind) => [kind, new HeatMap(this, kind, height)]));
		replace(this.left, [...this.maps.values()].map((map) => map.el));
	}

	/** The heat maps, then the offsets in the second, once they are known. */
	drawings() {
		const second = super.drawings().find((d) => d.draw === this.second.plot.options.draw);
		const maps = super.drawings().filter((d) => d !== second && d.draw !== this.second.plot.options.draw);

		return this.second.map ? [...maps, second] : maps;
	}

	close() {
		for (const map of this.maps.values())
			map.close();
		this.second.close();
		super.close();
	}
}
