// SPDX-License-Identifier: GPL-2.0-only
// Saving: the current picture as SVG or PNG, under a title that describes it, the tables as CSV, the link.
import { commandRow } from '../page.js';
import { moment } from './clock.js';
import { button, h, replace } from './dom.js';
import { download, fileOf } from './download.js';
import { drawLegend, drawRamp } from './marks/legend.js';
import { CanvasSurface, SvgSurface } from './marks/surface.js';
import { copyText, csvCell } from './table.js';
import { clean, duration, fit, measure } from './text.js';
import { figuresOf, sumsOf, ticketText } from './views/ticket.js';

const WIDTH = 1280, EDGE = 16;

/** "run · compute-01 · 5.02 s from 922.060149460 s · VM 1044 · no events lost" */
function caption(app) {
	if (app.view.caption)
		return app.view.caption();
	const { capture } = app;
	const [from, to] = app.range;

	return [clean(capture.label), capture.host && clean(capture.host), `${duration(to - from)} from ${moment(from, 9)}`,
	clean(app.selection.words()), clean(capture.loss.text ?? '')].filter(Boolean).join(' · ');
}

/** The parts of @text in as many lines as they need: a long label of a comparison hides no other part. */
function captionLines(text, width) {
	const lines = [];

	for (const part of text.split(' · ')) {
		const both = lines.length ? `${lines.at(-1)} · ${part}` : part;

		if (lines.length && measure(both, 13) <= width)
			lines[lines.length - 1] = both;
		else
			lines.push(fit(part, width, 13));
	}
	return lines;
}

/** Draws the view on a surface made for its size. make(width, height) returns the surface. */
function compose(app, make) {
	const { palette } = app;
	const drawings = app.view.drawings();
	const width = WIDTH - 2 * EDGE;
	const probe = new SvgSurface(1, 1);
	const title = app.view.title;
	const lines = captionLines(caption(app), width), top = 46 + 18 * lines.length;
	const parts = drawings.map((d) => ({ ...d, tall: d.height(width), above: (d.title ? 22 : 0) + (d.legend?.length ? drawLegend(probe, palette, d.legend, 0, 0, width) + 4 : 0) }));
	const height = top + parts.reduce((sum, p) => sum + p.tall + p.above + 14, 0) + EDGE;
	const s = make(WIDTH, height);
	let y = top;

	s.rect(0, 0, WIDTH, height, palette.paper);
	s.text(EDGE, 22, title, { colour: palette.text, size: 18, weight: 700 });
	lines.forEach((line, i) => s.text(EDGE, 44 + 18 * i, line, { colour: palette.dim, size: 13 }));
	for (const part of parts) {
		if (part.title)
			s.text(EDGE, y + 9, part.title, { colour: palette.text, size: 13, weight: 600, room: width - (part.ramp ? 260 : 0) });
		if (part.ramp)
			drawRamp(s, palette, EDGE + width, y + 9, part.ramp);
		if (part.legend?.length)
			drawLegend(s, palette, part.legend, EDGE, y + (part.title ? 22 : 0), width);
		y += part.above;
		part.draw(shifted(s, EDGE, y), width, part.tall);
		y += part.tall + 14;
	}
	return s;
}

/** The surface with its origin at (dx, dy). */
function shifted(s, dx, dy) {
	return {
		rect: (x, y, ...rest) => s.rect(x + dx, y + dy, ...rest),
		shade: (x, y, ...rest) => s.shade(x + dx, y + dy, ...rest),
		hatch: (x, y, ...rest) => s.hatch(x + dx, y + dy, ...rest),
		line: (x1, y1, x2, y2, ...rest) => s.line(x1 + dx, y1 + dy, x2 + dx, y2 + dy, ...rest),
		dot: (x, y, ...rest) => s.dot(x + dx, y + dy, ...rest),
		text: (x, y, ...rest) => s.text(x + dx, y + dy, ...rest),
		clip: (x, y, ...rest) => s.clip(x + dx, y + dy, ...rest),
		measure: (...rest) => s.measure(...rest),
	};
}

/** The picture as SVG, once the tables that it needs are read. */
async function svgText(app) {
	await app.figures.read('antagonists');
	return compose(app, (w, h2) => new SvgSurface(w, h2)).toString();
}

async function saveSvg(app) {
	download(`${fileOf(app, app.state.view)}.svg`, 'image/svg+xml', await svgText(app));
}

async function pngBlob(app) {
	const canvas = h('canvas');

	await app.figures.read('antagonists');

	compose(app, (w, tall) => {
		canvas.width = w * 2;
		canvas.height = tall * 2;
		const context = canvas.getContext('2d');
		context.scale(2, 2);
		return new CanvasSurface(context, 2);
	});
	return new Promise((done) => { canvas.toBlob(done, 'image/png'); });
}

async function savePng(app) {
	const blob = await pngBlob(app);

	if (blob)
		download(`${fileOf(app, app.state.view)}.png`, 'image/png', blob);
}

/** Copies to the clipboard; saves if the browser cannot copy pictures. */
async function copyPng(app) {
	try {
		await navigator.clipboard.write([new ClipboardItem({ 'image/png': pngBlob(app) })]);
	} catch {
		await savePng(app);
	}
}

/** The sums of the tables of @range, or null: unknown. */
async function knownSums(app, range) {
	const { figures: { shown }, selection, state } = app;

	if (app.figures.canDecode(app.capture)) {
		await app.figures.opened(app.capture);
		return sumsOf(await figuresOf(app, range));
	}
	return String(shown?.range) === String(range) && !shown.note && !selection.any && !state.cpus.length ? sumsOf(shown) : null;
}

/** Copies a ticket: the lines @first, then the figures of the area, or of the range without one; saves the picture. */
export async function copyTicket(app, first = []) {
	const { area } = app.state;
	const range = area.length ? area.slice(0, 2) : app.range;
	const name = `${fileOf(app, app.state.view)}.png`;

	app.busy(1);
	try {
		copyText(ticketText(app, range, await knownSums(app, range), [...first, ...app.area.words(), `picture: ${name}`, `page: ${clean(decodeURIComponent(location.pathname.split('/').at(-1)))}${location.hash}`]));
		await savePng(app);
	} finally {
		app.busy(-1);
	}
}

// The tables of each view, by the commands' names.
const TABLES = {
	vcpus: { vcpu: 'vCPUs', vcpu_groups: 'VMs', delays: 'delay by antagonist', beside: 'guest time by sibling', antagonists: 'antagonists', vcpu_reasons: 'exits of vCPUs', halts_vms: 'halts' },
	exits: { exits: 'exits', exit_reasons: 'exits by reason', exits_vm: 'exits by VM', guest: 'time in the guest', halts_vms: 'halts' },
	tasks: { tasks: 'tasks', tasks_groups: 'groups', tasks_roles: 'roles', latency: 'latency' },
	coremap: { coremap: 'core map', coremap_groups: 'core map of groups', cpus: 'CPUs' },
	switches: { latency: 'latency', tasks: 'tasks' },
	cores: { cpus: 'CPUs', coremap: 'core map' },
};

/** The rows of the wanted tasks with the columns of the command's --format csv. */
function tableCsv(app, name) {
	const table = app.figures.shown.tables[name];
	const place = Object.fromEntries(table.columns.map((key, i) => [key, i]));
	const wanted = (row) => (place.task === undefined || row[place.task] === null ? !app.selection.any || place.task === undefined : app.selection.task(row[place.task])) &&
		(place.cpu === undefined || row[place.cpu] === null || app.selection.cpu(row[place.cpu])) && (place.reason === undefined || app.selection.reason(row[place.reason]));
	const rows = table.rows.filter(wanted).map((row) => commandRow(app.capture, table, row));
	const keys = rows.length ? Object.keys(rows[0]) : table.columns;

	return `${[keys, ...rows.map((row) => keys.map((key) => (typeof row[key] === 'bigint' ? String(row[key]) : row[key])))].map((line) => line.map(csvCell).join(',')).join('\r\n')}\r\n`;
}

function tableButtons(app) {
	const { tables } = app.figures.shown ?? { tables: {} };

	return Object.entries(TABLES[app.state.view] ?? {}).filter(([name]) => tables[name]?.late || tables[name]?.rows.length).map(([name, words]) =>
		button(`${words} as CSV`, `the table "${name}" of this range and filter, exact values`, (e) => { close(e); saveTable(app, name); }, { data: { save: `csv-${name}` } }));
}

export async function saveTable(app, name) {
	await app.figures.read(name);
	download(`${fileOf(app, name)}.csv`, 'text/csv', tableCsv(app, name));
}

export function saveMenu(app) {
	const box = h('div', { class: 'menu-box' });
	const fill = () => replace(box,
		button('copy picture', 'as PNG, at twice the screen resolution; saved to a file if the browser cannot copy pictures', (e) => { close(e); copyPng(app); }, { data: { save: 'copy-png' } }),
		button('copy picture as SVG', 'as SVG text, for a file or an editor', (e) => { close(e); svgText(app).then(copyText); }, { data: { save: 'copy-svg' } }),
		button('save as SVG', 'texts stay editable', (e) => { close(e); saveSvg(app); }, { data: { save: 'svg' } }),
		button('save as PNG', 'at twice the screen resolution', (e) => { close(e); savePng(app); }, { data: { save: 'png' } }),
		button('copy as ticket text', 'the figures of the area, or of the range, as a sentence, and the commands that print them; the picture is saved as PNG', (e) => { close(e); copyTicket(app); }, { data: { save: 'ticket' } }),
		button('print …', 'on white paper', (e) => { close(e); print(); }, { data: { save: 'print' } }),
		button('copy the link', 'the address of exactly this view, range and filter', (e) => { close(e); copyText(location.href); }, { data: { save: 'link' } }),
		h('hr'), tableButtons(app));
	const menu = h('details', { class: 'menu', on: { toggle: fill } }, h('summary', { class: 'icon', title: 'save or copy: picture, tables, link', 'aria-label': 'save or copy' }, '⤓'), box);

	addEventListener('pointerdown', (e) => { if (menu.open && !menu.contains(/** @type {Node} */(e.target))) menu.open = false; });
	fill();
	return menu;
}

/** Closes the menu; whether it was open. */
export function closeMenu() {
	const menu = /** @type {HTMLDetailsElement | null} */ (document.querySelector('details.menu[open]'));

	if (!menu)
		return false;
	menu.open = false;
	menu.querySelector('summary').focus();
	return true;
}

function close(e) {
	e.target.closest('details').open = false;
}
