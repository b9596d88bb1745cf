// SPDX-License-Identifier: GPL-2.0-only
// Files that the page gives: made here, never fetched.
import { h } from './dom.js';

export function download(name, type, content) {
	const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
	const link = h('a', { href: url, download: name });

	document.body.append(link);
	link.click();
	link.remove();
	setTimeout(() => URL.revokeObjectURL(url), 10000);
}
