// SPDX-License-Identifier: GPL-2.0-only
//
// A real headless Chromium, driven by the DevTools protocol over a pair of pipes
// (--remote-debugging-pipe: file descriptors 3 and 4, messages end in NUL): no port, no
// WebSocket, no package.
//
//	const browser = await Browser.launch();
//	const tab = await browser.open('/tmp/x.html', { width: 1280, height: 800 });
//	await tab.ready();
//	tab.problems()		// forbidden events of a page: console, exceptions, requests
//	await tab.evaluate('document.title');
//	await browser.close();

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { Tab, sleep } from './tab.mjs';

export { sleep };

const FLAGS = [
	'--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
	'--disable-background-networking', '--disable-component-update', '--disable-sync',
	'--disable-extensions', '--disable-default-apps', '--mute-audio', '--hide-scrollbars',
	'--force-color-profile=srgb', '--remote-debugging-pipe',
];

export class Browser {
	static async launch() {
		const browser = new Browser();
		browser.profile = mkdtempSync(join(tmpdir(), 'cdict-chromium-'));
		browser.child = spawn(process.env.CHROMIUM ?? 'chromium', [...FLAGS, `--user-data-dir=${browser.profile}`], {
			stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
			env: { ...process.env, HOME: browser.profile },
		});
		browser.calls = new Map();
		browser.tabs = new Map();
		browser.next = 1;
		browser.noise = '';
		browser.child.stderr.on('data', (text) => { browser.noise = (browser.noise + text).slice(-4000); });
		browser.child.on('error', (error) => browser.fail(error));
		browser.child.on('exit', (code) => browser.fail(new Error(`chromium ended (${code}): ${browser.noise}`)));
		browser.listen(browser.child.stdio[4]);
		await browser.send('Browser.getVersion');
		return browser;
	}

	fail(error) {
		this.failed = error;
		for (const { reject } of this.calls.values()) reject(error);
		this.calls.clear();
	}

	listen(stream) {
		let parts = [];
		stream.on('data', (data) => {
			let from = 0;
			for (let at = data.indexOf(0); at >= 0; at = data.indexOf(0, from)) {
				parts.push(data.subarray(from, at));
				this.receive(JSON.parse(Buffer.concat(parts).toString()));
				parts = [];
				from = at + 1;
			}
			parts.push(data.subarray(from));
		});
	}

	receive(message) {
		if (message.id) {
			const call = this.calls.get(message.id);
			this.calls.delete(message.id);
			if (!call) return;
			if (message.error) call.reject(new Error(`${call.method}: ${message.error.message}`));
			else call.resolve(message.result);
			return;
		}
		this.tabs.get(message.sessionId)?.event(message.method, message.params, message.sessionId);
	}

	send(method, params = {}, sessionId = undefined) {
		if (this.failed) return Promise.reject(this.failed);
		const id = this.next++;
		this.child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
		return new Promise((resolve, reject) => this.calls.set(id, { method, resolve, reject }));
	}

	// Opens a file in a tab of its own; options: width, height, scheme ("light", "dark"), hash.
	async open(file, { width = 1280, height = 800, scheme = 'light', hash = '', scripts = true } = {}) {
		const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
		const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
		const tab = new ChromiumTab(this, targetId, sessionId);
		this.tabs.set(sessionId, tab);
		await tab.watch(sessionId);
		await tab.send('Page.enable');
		if (!scripts) await tab.send('Emulation.setScriptExecutionDisabled', { value: true });
		await tab.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
		await tab.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
		tab.url = pathToFileURL(file).href;
		await tab.send('Page.navigate', { url: tab.url + hash });
		return tab;
	}

	async close() {
		const gone = new Promise((resolve) => { this.child.on('exit', resolve); });
		this.child.removeAllListeners('exit');
		this.child.on('exit', () => this.fail(new Error('chromium was closed')));
		this.send('Browser.close').catch(() => { });
		await Promise.race([gone, sleep(3000)]);
		this.child.kill('SIGKILL');
		// its children may still write there
		for (let i = 0; i < 20; i++) {
			try {
				rmSync(this.profile, { recursive: true, force: true });
				return;
			} catch {
				await sleep(100);
			}
		}
	}
}

class ChromiumTab extends Tab {
	constructor(browser, targetId, sessionId) {
		super();
		Object.assign(this, { browser, targetId, sessionId });
		this.console = [];
		this.requests = [];
	}

	send(method, params, sessionId = this.sessionId) {
		return this.browser.send(method, params, sessionId);
	}

	// Console, exceptions and requests of a target; workers are targets of their own.
	async watch(sessionId) {
		await Promise.all([
			this.send('Runtime.enable', {}, sessionId),
			this.send('Network.enable', {}, sessionId),
			this.send('Log.enable', {}, sessionId).catch(() => { }),
			this.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: true }, sessionId),
		]);
	}

	event(method, params) {
		switch (method) {
			case 'Runtime.consoleAPICalled':
				this.console.push(`${params.type}: ${params.args.map((arg) => arg.value ?? arg.description).join(' ')}`);
				break;
			case 'Runtime.exceptionThrown':
				this.console.push(`exception: ${params.exceptionDetails.exception?.description ?? params.exceptionDetails.text}`);
				break;
			case 'Log.entryAdded':
				this.console.push(`${params.entry.level}: ${params.entry.text} ${params.entry.url ?? ''}`);
				break;
			case 'Network.requestWillBeSent':
				this.requests.push(params.request.url);
				break;
			case 'Network.webSocketCreated':
				this.requests.push(params.url);
				break;
			case 'Page.javascriptDialogOpening':
				this.console.push(`dialog: ${params.message}`);
				this.send('Page.handleJavaScriptDialog', { accept: true }).catch(() => { });
				break;
			case 'Target.attachedToTarget':
				this.browser.tabs.set(params.sessionId, this);
				this.watch(params.sessionId).catch(() => { });
				break;
			default:
		}
	}

	// All that a page of ours must not do.
	problems() {
		const asked = this.requests.filter((url) => !url.startsWith(this.url) && !/^(data|blob):/.test(url));
		return [...this.console, ...asked.map((url) => `request: ${url}`)];
	}

	async evaluate(expression) {
		const { result, exceptionDetails } = await this.send('Runtime.evaluate', {
			expression, awaitPromise: true, returnByValue: true, userGesture: true,
		});
		if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
		return result.value;
	}

	async screenshot(file) {
		const { data } = await this.send('Page.captureScreenshot', { format: 'png' });
		writeFileSync(file, Buffer.from(data, 'base64'));
	}

	async mouse(type, x, y, more = {}) {
		await this.send('Input.dispatchMouseEvent', { type, x, y, button: 'none', ...more });
	}

	async move(x, y) {
		await this.mouse('mouseMoved', x, y);
	}

	async wheel(x, y, deltaY) {
		await this.mouse('mouseWheel', x, y, { deltaX: 0, deltaY });
	}

	async drag(x0, y0, x1, y1, modifiers = 0) {
		const held = { button: 'left', buttons: 1, clickCount: 1, modifiers };
		await this.mouse('mouseMoved', x0, y0);
		await this.mouse('mousePressed', x0, y0, held);
		for (let i = 1; i <= 8; i++)
			await this.mouse('mouseMoved', x0 + ((x1 - x0) * i) / 8, y0 + ((y1 - y0) * i) / 8, { button: 'left', buttons: 1, modifiers });
		await this.mouse('mouseReleased', x1, y1, held);
	}

	async key(key, modifiers = 0) {
		const text = key.length === 1 ? { text: key } : {};
		await this.send('Input.dispatchKeyEvent', { type: 'keyDown', key, modifiers, ...text });
		await this.send('Input.dispatchKeyEvent', { type: 'keyUp', key, modifiers });
	}

	async close() {
		await this.browser.send('Target.closeTarget', { targetId: this.targetId });
	}
}
