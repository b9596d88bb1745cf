// SPDX-License-Identifier: GPL-2.0-only
// The page's entry: reads the file's own elements, starts the decoder, hands over to the interface.

import { loadPage } from './page.js';
import { Decoder } from './engine/client.js';
import { startApp } from './ui/app.js';

// null when no capture is embedded, or none can be read here.
function decoderOf(page) {
	if (!page.captures.some((capture) => capture.embedded)) return null;
	if (typeof WebAssembly === 'object') return new Decoder(page.workerSource, page.engine);
	for (const capture of page.captures) {
		if (!capture.embedded) continue;
		capture.embedded = false;
		capture.why_not = 'This browser has no WebAssembly: zoom ends at the columns of the overview.';
	}
	return null;
}

// Delays the page's load event until its first view is drawn, by an open document inside it.
function holdLoad() {
	const frame = document.createElement('iframe');

	frame.hidden = true;
	document.body.append(frame);
	frame.contentDocument?.open();
	frame.contentDocument?.write('<!doctype html>');
	return () => requestAnimationFrame(() => {
		frame.contentDocument?.close();
		frame.remove();
	});
}

async function start() {
	const root = document.getElementById('app');
	const loaded = holdLoad();
	try {
		const page = await loadPage(document);
		startApp(page, decoderOf(page), root);
	} catch (error) {
		// A damaged file, or a browser that is too old: show the reason in the page.
		root.textContent = `This page cannot be shown: ${error.message}`;
		document.documentElement.dataset.failed = '1';
	}
	loaded();
}

start();
