// SPDX-License-Identifier: GPL-2.0-only
//
// A real headless Firefox with the calls of browser.mjs, driven by Marionette: JSON over a socket on
// loopback, each message as LENGTH:[TYPE, ID, ...]
// (firefox-source-docs.mozilla.org/testing/marionette/Protocol.html). The port is one that was free;
// Firefox writes it into its profile.

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { Tab, sleep } from './tab.mjs';

const START_MS = 60000;

// Nothing of its own is to reach the network or to cover the page.
const PREFERENCES = {
	'marionette.port': 0,
	'network.proxy.type': 1,
	'network.proxy.http': '127.0.0.1',
	'network.proxy.http_port': 9,
	'network.proxy.ssl': '127.0.0.1',
	'network.proxy.ssl_port': 9,
	'app.update.enabled': false,
	'browser.shell.checkDefaultBrowser': false,
	'browser.startup.homepage_override.mstone': 'ignore',
	'datareporting.policy.dataSubmissionEnabled': false,
	'toolkit.telemetry.reportingpolicy.firstRun': false,
};

const KEYS = { Escape: '\ue00c', Enter: '\ue007' }; // https://www.w3.org/TR/webdriver2/#keyboard-actions

// Messages of the page in the console: errors, CSP reports, logs. In the browser's own context.
const CONSOLE = `return Services.console.getMessageArray()
	.filter((m) => m instanceof Ci.nsIScriptError && (m.sourceName || '').startsWith(arguments[0]))
	.map((m) => m.errorMessage)`;

export class Browser {
	static async launch() {
		const browser = new Browser();
		browser.profile = mkdtempSync(join(tmpdir(), 'cdict-firefox-'));
		writeFileSync(join(browser.profile, 'user.js'),
			Object.entries(PREFERENCES).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`).join(''));
		browser.child = spawn(process.env.FIREFOX ?? 'firefox-esr', ['--headless', '--marionette', '--remote-allow-system-access', '--no-remote', '--profile', browser.profile], {
			stdio: 'ignore',
			env: { ...process.env, HOME: browser.profile, MOZ_HEADLESS_WIDTH: '1280', MOZ_HEADLESS_HEIGHT: '800' },
		});
		browser.calls = new Map();
		browser.next = 1;
		browser.child.on('error', (error) => browser.fail(error));
		browser.child.on('exit', (code) => browser.fail(new Error(`firefox ended (${code})`)));
		await browser.connect(await browser.port());
		await browser.send('WebDriver:NewSession', { capabilities: { alwaysMatch: { pageLoadStrategy: 'normal' } } });
		await browser.send('WebDriver:SetTimeouts', { script: 120000 });
		return browser;
	}

	async port() {
		for (const end = Date.now() + START_MS; Date.now() < end; await sleep(50)) {
			if (this.failed) throw this.failed;
			try {
				const port = Number(readFileSync(join(this.profile, 'MarionetteActivePort'), 'utf8'));
				if (port > 0) return port;
			} catch {
				// not yet
			}
		}
		throw new Error('firefox does not say where it listens');
	}

	connect(port) {
		return new Promise((resolve, reject) => {
			this.socket = connect(port, '127.0.0.1');
			this.socket.on('error', reject);
			let held = Buffer.alloc(0);
			this.socket.on('data', (data) => {
				held = Buffer.concat([held, data]);
				for (let colon = held.indexOf(58); colon >= 0; colon = held.indexOf(58)) {
					const length = Number(held.subarray(0, colon));
					if (held.length < colon + 1 + length) return;
					const message = JSON.parse(held.subarray(colon + 1, colon + 1 + length));
					held = held.subarray(colon + 1 + length);
					if (Array.isArray(message)) this.receive(message);
					else resolve(); // its greeting
				}
			});
		});
	}

	fail(error) {
		this.failed = error;
		for (const { reject } of this.calls.values()) reject(error);
		this.calls.clear();
	}

	receive([, id, error, result]) {
		const call = this.calls.get(id);
		this.calls.delete(id);
		if (error) call?.reject(new Error(`${call.name}: ${error.message}`));
		else call?.resolve(result && 'value' in result ? result.value : result);
	}

	send(name, parameters = {}) {
		if (this.failed) return Promise.reject(this.failed);
		const id = this.next++;
		const text = JSON.stringify([0, id, name, parameters]);
		this.socket.write(`${Buffer.byteLength(text)}:${text}`);
		return new Promise((resolve, reject) => this.calls.set(id, { name, resolve, reject }));
	}

	async open(file, { hash = '' } = {}) {
		const tab = new FirefoxTab(this);
		tab.url = pathToFileURL(file).href;
		await this.send('WebDriver:Navigate', { url: tab.url + hash });
		return tab;
	}

	async close() {
		this.child.removeAllListeners('exit');
		const gone = new Promise((resolve) => { this.child.on('exit', resolve); });
		this.send('Marionette:Quit', { flags: ['eForceQuit'] }).catch(() => { });
		await Promise.race([gone, sleep(3000)]);
		this.child.kill('SIGKILL');
		this.socket?.destroy();
		rmSync(this.profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
	}
}

class FirefoxTab extends Tab {
	constructor(browser) {
		super();
		this.browser = browser;
		this.console = [];
	}

	evaluate(expression) {
		return this.browser.send('WebDriver:ExecuteScript', { script: `return (async () => (${expression}))()`, args: [] });
	}

	async look() {
		await this.browser.send('Marionette:SetContext', { value: 'chrome' });
		try {
			this.console = await this.browser.send('WebDriver:ExecuteScript', { script: CONSOLE, args: [this.url] });
		} finally {
			await this.browser.send('Marionette:SetContext', { value: 'content' });
		}
	}

	problems() {
		return this.console;
	}

	async screenshot(file) {
		writeFileSync(file, Buffer.from(await this.browser.send('WebDriver:TakeScreenshot', { full: false }), 'base64'));
	}

	// One kind of input: https://www.w3.org/TR/webdriver2/#actions
	act(type, actions, parameters = undefined) {
		return this.browser.send('WebDriver:PerformActions', { actions: [{ type, id: type, parameters, actions }] });
	}

	async move(x, y) {
		await this.act('pointer', [{ type: 'pointerMove', x, y, duration: 0 }], { pointerType: 'mouse' });
	}

	async wheel(x, y, deltaY) {
		await this.act('wheel', [{ type: 'scroll', x, y, deltaX: 0, deltaY, duration: 0 }]);
	}

	async drag(x0, y0, x1, y1) {
		await this.act('pointer', [
			{ type: 'pointerMove', x: x0, y: y0, duration: 0 }, { type: 'pointerDown', button: 0 },
			{ type: 'pointerMove', x: x1, y: y1, duration: 100 }, { type: 'pointerUp', button: 0 },
		], { pointerType: 'mouse' });
	}

	async key(key) {
		const value = KEYS[key] ?? key;
		await this.act('key', [{ type: 'keyDown', value }, { type: 'keyUp', value }]);
	}

	async close() { }
}
