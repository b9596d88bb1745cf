// SPDX-License-Identifier: GPL-2.0-only
// View 7: the code that causes time off the CPU, exits, wake-ups and switches: a flame graph of the range.
import { FlameGraph } from '../../flame/graph.js';
import { button, choice, h, replace, s } from '../dom.js';
import { Question } from '../figures.js';
import { legend } from '../marks/legend.js';
import { clean, count, duration, percent, plural } from '../text.js';
import { View } from './view.js';

const WHAT = [['off-cpu', 'off the CPU', 'time by the stack at the switch-out'], ['exits', 'exits', 'time by the stack at the kvm_exit, and by reason'],
['wakeups', 'wake-ups', 'by waker and its stack'], ['switches', 'switches', 'by the stack at the switch-out']];
let last = null; // the last answer, for printing or showing it again

const KINDS = [null, 'tasks', 'kernel', 'user', 'notes']; // enum folded_kind
const TASK = 1, LEFT = 1, ROW = 18, SHADES = 5, LEAST = 0.1;

export class FlameView extends View {
	constructor(app) {
		super(app, 'Flame graph: time or events by call stack');
		this.question = new Question(app);
		this.tools = h('span');
		this.field = h('input', { type: 'search', placeholder: 'find frames: a pattern', 'aria-label': 'find frames', on: { input: () => this.#find() } });
		this.found = h('span', { class: 'dim', role: 'status' });
		this.all = button('show all', 'the whole graph again', () => this.#zoom());
		this.note = h('p', { class: 'dim legend-box' });
		this.box = h('div', { class: 'flame-box' });
		this.says = h('p', { class: 'dim flame-says' }, ' ');
		this.el.append(h('div', { class: 'tools' }, this.tools, h('span', { class: 'space' }), this.found, this.all, this.field), this.note, this.says, this.box);
		this.resized = new ResizeObserver(() => this.#draw());
		this.resized.observe(this.box);
	}

	get by() {
		return WHAT.some(([by]) => by === this.app.state.flame) ? this.app.state.flame : 'off-cpu';
	}

	update() {
		const { app, by } = this;
		const { cpus } = app.state;
		const tasks = app.selection.list();
		const key = JSON.stringify([app.state.capture, by, app.range, tasks, cpus]);

		replace(this.tools, choice(null, WHAT, by, (flame) => app.set({ flame })));
		if (!app.capture.has.stacks || !app.figures.canDecode(app.capture)) {
			this.note.textContent = app.capture.has.stacks ? app.capture.why_not ?? 'the capture is not in this page' : 'this capture has no stacks: record them with cdict record -g';
			replace(this.box);
			return;
		}
		if (key === this.key)
			return;
		this.key = key;
		if (last?.app === app && last.key === key) {
			this.#have(last.answer, null, by);
			return;
		}
		this.question.ask((decoder, signal) => decoder.flame(app.capture, app.range, { by, tasks, cpus: cpus.length ? cpus : null, signal }), (answer, error) => {
			last = answer && { app, key, answer };
			this.#have(answer, error, by);
		});
	}

	#have(answer, error, by) {
		const { frames: colours } = this.app.palette;

		this.frames = answer && this.#named(answer.frames, by);
		replace(this.note, error ? `not decoded: ${error.message}` : !answer ? '' : [
			`${this.frames[0].says.replace(/^all: |, [^,]*$/g, '')} in all; width: ${by === 'off-cpu' || by === 'exits' ? 'time' : 'count'}${answer.lacking ? `; ${plural(answer.lacking, 'event')} without a stack` : ''}`,
			legend(KINDS.map((text, kind) => ({ text, colour: colours[kind * SHADES], there: this.frames.some((frame) => frame.kind === kind) })).filter(({ text, there }) => text && there))]);
		this.#draw();
	}

	drawUnseen() {
		super.drawUnseen();
		this.#draw();
	}

	/** The answer as frames, callers first. */
	#named({ name, kind, depth, from, total, percent: share, names }, by) {
		const value = by === 'off-cpu' || by === 'exits' ? duration : count;

		return Array.from(total, (n, i) => {
			const text = i === 0 ? 'all' : clean(names[name[i]]);

			return { text, from: from[i], total: n, depth: depth[i], kind: i === 0 ? TASK : kind[i], says: `${text}: ${value(n)}, ${percent(share[i])}` };
		});
	}

	/** The frames that are visible in a picture of @width. */
	#seen(width) {
		const [all] = this.frames;

		return this.frames.map((frame) => ({ ...frame, x: LEFT + ((width - 2 * LEFT) * frame.from) / (all.total || 1), w: frame.depth ? ((width - 2 * LEFT) * frame.total) / (all.total || 1) : width - 2 * LEFT }))
			.filter(({ w }) => w >= LEAST);
	}

	#colour({ kind, text }) {
		let hash = 0;

		for (let i = 0; i < text.length; i++)
			hash = (Math.imul(hash, 31) + text.charCodeAt(i)) >>> 0;
		return this.app.palette.frames[kind * SHADES + hash % SHADES];
	}

	#draw() {
		const width = this.box.clientWidth;

		if (!this.frames || !width) {
			replace(this.box);
			return;
		}
		const seen = this.#seen(width);
		const deepest = Math.max(...seen.map(({ depth }) => depth));
		const height = (deepest + 1) * ROW + 2;
		const svg = s('svg', { class: 'flame', width, height, viewBox: `0 0 ${width} ${height}`, 'font-size': 12, data: { sum: this.frames[0].total, left: LEFT } }, seen.map((frame) => {
			const { text, says, from, total, depth, x, w } = frame;
			const y = depth * ROW + 1;

			return s('g', { class: 'f', data: { s: from, t: total, d: depth, n: text } }, s('title', null, says),
				s('rect', { x: x.toFixed(2), y, width: w.toFixed(2), height: ROW - 1, css: { fill: this.#colour(frame) } }), s('text', { x: x + 4, y: y + 12.5 }));
		}));

		replace(this.box, svg);
		this.graph = new FlameGraph(svg, (text) => { this.says.textContent = text || ' '; });
		svg.addEventListener('click', () => this.#zoomed());
		this.#zoom();
		this.#find();
	}

	#zoom() {
		this.graph?.zoom();
		this.#zoomed();
	}

	#zoomed() {
		this.all.disabled = !this.graph || this.graph.zoomed === this.graph.frames[0];
	}

	#find() {
		const part = this.graph?.search(this.field.value) ?? null;

		this.found.textContent = part === null ? '' : `${percent(100 * part)} found`;
	}

	drawings() {
		if (!this.frames)
			return [];
		const height = (width) => (Math.max(...this.#seen(width).map(({ depth }) => depth)) + 1) * ROW;

		return [{
			height, draw: (surface, width) => {
				for (const frame of this.#seen(width)) {
					const y = frame.depth * ROW;

					surface.rect(frame.x, y, Math.max(frame.w - 0.6, 0.1), ROW - 1, this.#colour(frame));
					if (frame.w > 20)
						surface.text(frame.x + 4, y + (ROW - 1) / 2, frame.text, { colour: this.app.palette.text, size: 12, room: frame.w - 8 });
				}
			},
		}];
	}

	close() {
		this.resized.disconnect();
		this.question.drop();
		super.close();
	}
}
