// SPDX-License-Identifier: GPL-2.0-only
// Actions of a test in a page, in any browser: implemented by browser.mjs and firefox.mjs.

export const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

export class Tab {
	// evaluate(expression) gives its value, awaited; problems() the forbidden events of the page.

	// Brings problems() up to date, where they have to be asked for.
	async look() { }

	async until(expression, what, ms = 60000) {
		const end = Date.now() + ms;
		// while a document is being replaced there may be none
		while (!(await this.evaluate(expression).catch(() => false))) {
			if (Date.now() > end) throw new Error(`not within ${ms / 1000} s: ${what}; ${this.problems().join('; ')}`);
			await sleep(20);
		}
	}

	async ready(ms) {
		await this.until('document.documentElement.dataset.failed !== undefined || document.documentElement.dataset.ready === "1"', 'the first view', ms);
		const failed = await this.evaluate('document.documentElement.dataset.failed && document.getElementById("app").textContent');
		if (failed) throw new Error(failed);
	}

	// Nothing is being computed any more.
	async idle(ms) {
		await sleep(50);
		await this.until('document.documentElement.dataset.busy === undefined', 'the end of computing', ms);
	}

	async go(hash, ms) {
		await this.evaluate(`void (location.hash = ${JSON.stringify(hash)})`);
		await sleep(60);
		await this.idle(ms);
	}
}
