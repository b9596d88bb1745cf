// SPDX-License-Identifier: GPL-2.0-only
// The base class of views.
import { h } from '../dom.js';
import { fileOf } from '../download.js';
import { timeGestures } from '../input/gestures.js';
import { Plot, paintAll } from '../marks/plot.js';

export class View {
	constructor(app, title) {
		this.app = app;
		this.title = title;
		this.plots = new Set();
		this.el = h('section', { class: 'view', 'aria-label': title });
	}

	/** A picture of this view; one with a time axis handles wheel and drag. */
	plot(options) {
		const plot = new Plot({ app: this.app, ...options });

		if (options.time)
			timeGestures(plot, this.app);
		this.plots.add(plot);
		return plot;
	}

	drop(plot) {
		plot.close();
		this.plots.delete(plot);
	}

	paint() {
		paintAll([...this.plots]);
	}

	/** For paper: draws the pictures that were never in view. */
	drawUnseen() {
		for (const plot of this.plots) {
			if (plot.stale)
				plot.paint();
		}
	}

	/** Called when the details of the clicked thing have arrived. */
	looked() {
		this.paint();
	}

	/** Called after a change of {range, figures, filter, options}. */
	update() {
		this.paint();
	}

	/**
	 * For saving.
	 * @returns {{title?, legend?, ramp?, height: (width) => number, draw: (surface, width, height) => void}[]}
	 */
	drawings() {
		return [...this.plots].map((plot) => ({
			title: typeof plot.options.title === 'function' ? plot.options.title() : plot.options.title,
			legend: plot.options.legend?.(), ramp: plot.options.ramp?.(),
			height: (w) => plot.heightFor(w), draw: plot.options.draw,
		}));
	}

	/**
	 * Texts for each sheet of paper, if the view is not of the current capture alone.
	 * @returns {string[] | null}
	 */
	running() {
		return null;
	}

	close() {
		for (const plot of this.plots)
			plot.close();
		this.plots.clear();
	}

	/** The name of a table's CSV file. */
	file(name) {
		return () => fileOf(this.app, name);
	}
}

/** data-… of a task's row. */
export function taskData(app, task) {
	return task === null || task === undefined ? { task: null } : { task, tid: app.capture.tasks[task]?.tid };
}
