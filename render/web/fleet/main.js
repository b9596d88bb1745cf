// SPDX-License-Identifier: GPL-2.0-only
// The page of a job: chooses the picture and the table to show. The program counted and drew their content.
import { inflatedOf, textOf } from '../page.js';
import { Card } from '../ui/card.js';
import { button, choice, h, named, replace, s } from '../ui/dom.js';
import { Table } from '../ui/table.js';
import { clean, duration, figure, learnNames, plural } from '../ui/text.js';
import { applyTheme, themeName } from '../ui/theme.js';

/** The content of a deflated element: JSON, or a picture's text. */
async function inflated(id) {
	return new TextDecoder().decode(await inflatedOf(document, id));
}

/** The state in the link: #figure=busy_percent&table=hosts&theme=dark */
function readState() {
	return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

/** A difference with its sign, as in the comparison of captures. */
function changed(key, v) {
	return v ? h('span', { class: v > 0 ? 'more-text' : 'less-text' }, `${v > 0 ? '+' : ''}${figure(key, v)}`) : figure(key, v);
}

const BAR = { width: 90, height: 12 };

/** A drawing beside a figure, in a cell. */
function drawing(...marks) {
	return s('svg', { class: 'cell-bar', width: BAR.width, height: BAR.height, viewBox: `0 0 ${BAR.width} ${BAR.height}`, 'aria-hidden': 'true' }, marks);
}

/** A bar, in proportion to the largest value of the column. */
function bar(value, most) {
	return drawing(s('rect', { class: 'bar', x: 0, y: 1, width: most > 0 && value > 0 ? Math.max(1, BAR.width * value / most) : 0, height: BAR.height - 2 }));
}

/** A box from the first to the third quartile, the median in it, and a line from the smallest to the largest run, on a scale from 0 or the smallest. */
function box({ min, q1, median, q3, max }) {
	const from = Math.min(0, min);
	const at = (v) => 1 + (BAR.width - 2) * (max > from ? (v - from) / (max - from) : 0);

	return drawing(
		s('line', { class: 'range', x1: at(min), x2: at(max), y1: BAR.height / 2, y2: BAR.height / 2 }),
		s('rect', { class: 'bar', x: at(q1), y: 2, width: Math.max(1, at(q3) - at(q1)), height: BAR.height - 4 }),
		s('line', { class: 'median', x1: at(median), x2: at(median), y1: 0, y2: BAR.height }));
}

const KEYS = [
	['1 … 9', 'open a table'],
	['/', 'search hosts, VMs, tasks, programs: a regular expression; only these rows are shown'],
	['click on a finding', 'open its table, with the rows it is about'],
	['← →', 'previous, next picture'],
	['t', 'light or dark colours'],
	['Esc', 'close this help, else end the search'],
	['?', 'this help'],
];
const TERMS = [
	['waiting', 'runnable tasks that waited for a CPU'],
	['waited', 'of a vCPU: preempted or waiting, that is runnable, but not on a CPU'],
	['run queue p99', 'from wake-up to running: 99 % of the wake-ups took at most this long'],
	['noisy', 'a host whose tasks wait most'],
	['evicted', 'figures that the store no longer has'],
	['hatched', 'not recorded; empty: nothing was pushed'],
];

function terms(list) {
	return h('dl', null, list.map(([term, text]) => [h('dt', null, term), h('dd', null, text)]));
}

/** @text as a regular expression, like -t; one that is invalid is taken as plain text. */
function expression(text) {
	try {
		return new RegExp(text.replace(/^\*/, '.*'), 'i');
	} catch {
		return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i');
	}
}

class FleetPage {
	constructor(page, root) {
		this.page = page;
		this.state = readState();
		this.card = new Card(document.body);
		this.theme = button('', null, () => this.set({ theme: themeName(this.state.theme) === 'dark' ? 'light' : 'dark' }), { class: 'icon' });
		this.search = h('input', {
			type: 'search', placeholder: 'search hosts, VMs, tasks (/)', size: '26', 'aria-label': 'search hosts, VMs, tasks: a regular expression', value: this.state.find ?? '',
			on: { input: () => this.set({ find: this.search.value }) },
		});
		this.help = h('dialog', { class: 'fleet-help', 'aria-label': 'help' },
			h('div', { class: 'help-head' }, h('strong', null, 'Help'), h('span', { class: 'space' }), button('×', 'close (Esc)', () => this.help.close(), { class: 'icon' })),
			h('h3', null, 'Keys and pointer'), terms(KEYS), h('h3', null, 'Terms'), terms(TERMS),
			h('p', { class: 'dim' }, `The address describes what you see. ${clean(page.generator)}. Nothing is sent anywhere: this page works without a network.`));
		this.chooser = h('div', { class: 'tools' });
		this.picture = h('div', { class: 'picture' });
		this.tabs = h('div', { class: 'tabs', role: 'tablist' });
		this.tableBox = h('div', { class: 'table-place' });
		replace(root,
			h('header', { class: 'head' },
				h('div', { class: 'what' }, h('strong', null, h('bdi', null, clean(page.title))),
					page.facts.map((fact) => h('span', { class: 'fact' }, h('bdi', null, clean(fact))))),
				this.search, this.theme, button('?', 'help (?)', () => this.help.showModal(), { class: 'icon' })),
			h('main', { class: 'fleet' },
				page.findings.length ? h('ol', { class: 'findings', 'aria-label': 'findings' }, page.findings.map((finding) => h('li', { class: 'finding' },
					button(clean(finding.text), 'open the rows', () => this.#open(finding), { class: 'link' })))) : null,
				page.lines.map((line) => h('p', { class: 'note' }, h('bdi', null, clean(line)))),
				page.map ? h('section', null, this.chooser, this.picture) : null,
				h('div', { class: 'tabs-row' }, this.tabs), this.tableBox, this.help));
		addEventListener('keydown', (e) => this.#key(e));
		this.picture.addEventListener('pointermove', (e) => this.#point(e));
		this.picture.addEventListener('pointerleave', () => this.card.hide());
		addEventListener('hashchange', () => {
			this.state = readState();
			this.search.value = this.state.find ?? '';
			this.draw();
		});
		matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw());
	}

	set(change) {
		this.state = { ...this.state, ...change };
		for (const [key, value] of Object.entries(this.state)) {
			if (!value)
				delete this.state[key];
		}
		history.replaceState(null, '', `#${new URLSearchParams(this.state)}`);
		this.draw();
	}

	/** Shows the rows that a finding is about. */
	#open({ table, about }) {
		this.search.value = about === null ? '' : `^${about.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`;
		this.set({ table, find: this.search.value });
		this.tabs.scrollIntoView({ block: 'nearest' });
	}

	#key(e) {
		if (e.ctrlKey || e.metaKey || e.altKey || this.help.open)
			return;
		const typing = e.target instanceof Element && e.target.closest('input');
		const tables = this.page.tables, figures = this.page.map?.figures ?? [];

		if (e.key === 'Escape' && (!typing || e.target === this.search)) {
			this.search.value = '';
			this.search.blur();
			this.set({ find: '' });
		} else if (typing) {
			return;
		} else if (e.key === '/') {
			this.search.focus();
			this.search.select();
		} else if (e.key === '?') {
			this.help.showModal();
		} else if (e.key === 't') {
			this.theme.click();
		} else if (tables[Number(e.key) - 1]) {
			this.set({ table: tables[Number(e.key) - 1].key });
		} else if ((e.key === 'ArrowLeft' || e.key === 'ArrowRight') && figures.length && !e.target.closest?.('th, [role=tab]')) {
			const at = figures.indexOf(this.figure) + (e.key === 'ArrowLeft' ? -1 : 1);

			this.set({ figure: figures[(at + figures.length) % figures.length].key });
		} else {
			return;
		}
		e.preventDefault();
	}

	async load() {
		this.rows = JSON.parse(await inflated('fleet-tables'));
		learnNames(() => this.#names());
		this.plot = JSON.parse(textOf(document, 'fleet-plot') ?? 'null');
		this.values = this.page.map ? JSON.parse(await inflated('fleet-values')) : null;
		await this.draw();
	}

	/** All texts of the tables, so that no two are shortened to one. */
	#names() {
		return this.page.tables.flatMap(({ key, heads }) => {
			const { columns, by_column: byColumn } = this.rows[key];

			return heads.filter(({ text }) => text).flatMap((head) => byColumn[columns.indexOf(head.key)] ?? []).filter((name) => name !== null).map(clean);
		});
	}

	async draw() {
		const palette = applyTheme(this.page, this.state.theme);

		palette.ramp.forEach((colour, i) => document.documentElement.style.setProperty(`--ramp-${i + 1}`, colour));
		this.theme.textContent = palette === this.page.palette.dark ? '☀' : '☾';
		this.theme.title = palette === this.page.palette.dark ? 'light colours' : 'dark colours';
		this.#drawTable();
		await this.#drawMap();
	}

	// ---- the pictures ----

	async #drawMap() {
		const { map } = this.page;

		if (!map)
			return;
		this.figure = map.figures.find(({ key }) => key === this.state.figure) ?? map.figures[0];
		replace(this.chooser, choice('', map.figures.map(({ key, title, about }) => [key, title, about]), this.figure.key,
			(key) => this.set({ figure: key })));
		if (this.picture.dataset.figure === this.figure.key)
			return;
		const { key, title } = this.figure;
		const svg = new DOMParser().parseFromString(await inflated(`picture-${key}`), 'image/svg+xml').documentElement;

		if (this.figure.key !== key)
			return; // another one was chosen meanwhile
		svg.querySelector('title')?.remove(); // the card has more
		svg.setAttribute('aria-label', title);
		replace(this.picture, document.importNode(svg, true));
		this.picture.dataset.figure = key;
	}

	// The cell under the pointer, by the area in which the program drew the cells.
	#point(e) {
		const { map } = this.page;
		const svg = this.picture.querySelector('svg');
		const box = svg?.getBoundingClientRect();
		const scale = box ? svg.viewBox.baseVal.width / box.width : 0;
		const x = box ? ((e.clientX - box.left) * scale - this.plot.x) / this.plot.w : -1;
		const y = box ? ((e.clientY - box.top) * scale - this.plot.y) / this.plot.h : -1;

		if (x < 0 || x >= 1 || y < 0 || y >= 1 || !map.names.length) {
			this.card.hide();
			return;
		}
		const [row, column] = [Math.floor(y * map.names.length), Math.floor(x * map.columns)];
		const i = row * map.columns + column;
		const seen = this.values.seen[i];
		const from = column * map.column_ns;

		this.card.show([
			clean(map.names[row]),
			seen ? `${this.figure.title}: ${this.values[this.figure.key][i] === null ? 'unknown' : figure(this.figure.key, this.values[this.figure.key][i])}` : 'nothing was pushed',
			map.from_ms ? `${new Date(map.from_ms + from / 1e6).toISOString().replace('T', ' ').replace('Z', ' UTC')}, ${duration(map.column_ns)}`
				: `${duration(from)} after its first event, ${duration(map.column_ns)}`,
			seen > 1 ? `the largest of ${plural(seen, 'bucket')}` : null,
		], e.clientX, e.clientY);
	}

	// ---- the tables ----

	#drawTable() {
		const { tables } = this.page;
		const chosen = tables.find(({ key }) => key === this.state.table) ?? tables[0];

		replace(this.tabs, tables.map(({ key, title, rows, about }) => button(`${title} ${rows}`, about, () => this.set({ table: key }), {
			class: `tab${key === chosen.key ? ' on' : ''}`, role: 'tab', 'aria-selected': String(key === chosen.key), data: { tab: key },
		})));
		if (!chosen)
			return;
		if (this.tableBox.dataset.table === chosen.key) {
			this.#showFound();
			return;
		}
		this.tableBox.dataset.table = chosen.key;
		const { columns, by_column: byColumn } = this.rows[chosen.key];
		const rows = (byColumn[0] ?? []).map((_, i) => ({ ...Object.fromEntries(columns.map((key, c) => [key, byColumn[c][i]])), at: i }));
		const heads = chosen.heads.filter(({ key, wide }) => !wide && columns.includes(key) && rows.some((row) => row[key] !== null));
		const all = heads.map((head) => this.#column(chosen, head, rows));

		if (chosen.bars === 'quartiles') {
			all.push({
				key: 'spread', title: 'quartiles of the runs', text: true, csv: false, value: (row) => row.median,
				hint: 'box: first to third quartile, with the median; line: smallest to largest run', show: box
			});
		}
		const table = new Table(all, {
			app: { busy: () => { } }, name: chosen.key, rowData: (row) => ({ at: row.at }),
		});

		replace(this.tableBox, h('p', { class: 'dim' }, clean(chosen.about)), table.el);
		this.shown = { table, rows, names: heads.filter(({ text }) => text).map(({ key }) => key) };
		this.#showFound();
	}

	/** The rows with a name that the search finds. */
	#showFound() {
		const { table, rows, names } = this.shown;
		const find = this.state.find ? expression(this.state.find) : null;

		table.setRows(find ? rows.filter((row) => names.some((key) => row[key] !== null && find.test(row[key]))) : rows);
	}

	#column(table, { key, title, text }, rows) {
		if (table.bars === 'columns' && !text) {
			const most = Math.max(...rows.map((row) => row[key] ?? 0));

			return { key, title, text: false, hint: key, show: (row) => (row[key] === null ? '' : [figure('value', row[key]), ' ', bar(row[key], most)]) };
		}
		const change = key.startsWith('change_');
		const show = change ? (row) => changed(key, row[key]) : table.key === 'hosts' && key === 'host' ? (row) => this.#host(row[key]) : undefined;

		return { key, title: title.replace(/ (ms|us|µs)$/, ''), text: text && !change, hint: change ? `${key}: B minus A` : key, show };
	}

	// A host's name, as a link to its own page; several captures have several pages.
	#host(host) {
		const files = this.rows.links.filter(([of]) => of === host).map(([, file]) => file);
		const text = named(clean(host));

		if (!files.length)
			return text;
		return [h('a', { href: files[0], title: 'the page of this host' }, text),
		files.slice(1).map((file, i) => [' ', h('a', { href: file, title: 'the page of another capture' }, String(i + 2))])];
	}
}

async function start() {
	const root = document.getElementById('app');

	try {
		const page = JSON.parse(textOf(document, 'cdict-fleet'));

		await new FleetPage(page, root).load();
	} catch (error) {
		root.textContent = `This page cannot be shown: ${error.message}`;
		document.documentElement.dataset.failed = '1';
	}
	document.documentElement.dataset.drawn = '1';
}

start();
