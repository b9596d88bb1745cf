// SPDX-License-Identifier: GPL-2.0-only
// Controls of a flame graph in its own file: the search field, the button that resets the zoom, the keys.
import { FlameGraph } from './graph.js';

const XHTML = 'http://www.w3.org/1999/xhtml';

/** @returns {any} */
function element(name) {
	return document.createElementNS(XHTML, name);
}

function start(svg) {
	const says = svg.querySelector('.says');
	const graph = new FlameGraph(svg, (text) => { says.textContent = text; });
	const box = document.createElementNS('http://www.w3.org/2000/svg', 'foreignObject');
	const [field, share, all] = ['input', 'span', 'button'].map(element);
	const tools = element('div');
	const width = svg.viewBox.baseVal.width;

	for (const [name, value] of Object.entries({ x: width - 452, y: 8, width: 440, height: 34 }))
		box.setAttribute(name, String(value));
	tools.setAttribute('class', 'tools');
	field.setAttribute('type', 'search');
	field.setAttribute('placeholder', 'search: a pattern (/)');
	field.setAttribute('aria-label', 'search frames');
	share.setAttribute('class', 'share');
	share.setAttribute('role', 'status');
	all.setAttribute('type', 'button');
	all.textContent = 'show all';
	tools.append(share, all, field);
	box.append(tools);
	svg.append(box);

	const look = () => {
		const part = graph.search(field.value);

		share.textContent = part === null ? '' : `${(100 * part).toFixed(1)} % found`;
	};
	const follow = () => { all.disabled = graph.zoomed === graph.frames[0]; };

	field.addEventListener('input', look);
	all.addEventListener('click', () => {
		graph.zoom();
		follow();
	});
	svg.addEventListener('click', follow);
	addEventListener('keydown', (event) => {
		if (event.key === 'Escape') {
			graph.zoom();
			field.value = '';
			look();
			follow();
		} else if (event.key === '/' && event.target !== field) {
			event.preventDefault();
			field.focus();
		}
	});
	follow();
}

const picture = document.querySelector('svg.flame');

if (picture)
	start(picture);
