// SPDX-License-Identifier: GPL-2.0-only
// The page's entry: reads the file's own elements, starts the decoder, hands over to the interface.

import { loadPage } from './page.js';
import { Decoder } from './decode/client.js';
import { startApp } from './ui/app.js';

function start() {
	const root = document.getElementById('app');
	try {
		const page = loadPage(document);
		const embedded = page.captures.some((capture) => capture.embedded);
		startApp(page, embedded ? new Decoder(page.workerSource) : null, root);
	} catch (error) {
		// A damaged file, or a browser that is too old: say so where people look.
		root.textContent = `This page cannot be shown: ${error.message}`;
		document.documentElement.dataset.failed = '1';
	}
}

start();
