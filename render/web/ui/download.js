// SPDX-License-Identifier: GPL-2.0-only
// Downloads, made in the page and never fetched.
import { h } from './dom.js';

/** A file name for the current capture. */
export function fileOf({ capture }, what) {
	return `${capture.label.replace(/[^\p{L}\p{N}._-]+/gu, '_').replace(/^\.+/, '').slice(0, 60) || 'cdict'}-${what}`;
}

export function download(name, type, content) {
	const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
	const link = h('a', { href: url, download: name });

	document.body.append(link);
	link.click();
	link.remove();
	setTimeout(() => URL.revokeObjectURL(url), 10000);
}
