// SPDX-License-Identifier: GPL-2.0-only
// The page's clock, used for every time in it: since the start, the recording's, or the time of day.

export const CLOCKS = {
	start: ['since start', 'times count from the first event'],
	clock: ['recording’s clock', 'times as perf script and the commands print them'],
	wall: ['wall clock', 'time of day, UTC'],
};

const nowhere = { t0_ns: '0', wall_t0: null };
let shown = { kind: 'start', capture: nowhere };

/** Sets the clock for all times from now on. */
export function useClock(kind, capture) {
	shown = { kind: kind in CLOCKS && (kind !== 'wall' || wallTime(capture, 0)) ? kind : 'start', capture };
}

export function clockKind() {
	return shown.kind;
}

/** A time of the recording's clock, all digits: "922.060149460". */
export function clockTime(capture, t) {
	const ns = BigInt(capture.t0_ns) + BigInt(Math.round(t));
	const digits = ns.toString().padStart(10, '0');

	return `${digits.slice(0, -9)}.${digits.slice(-9)}`;
}

/** Time of day in UTC of @t ns after the first event, or null when the capture does not have it. */
export function wallTime(capture, t) {
	const m = /^(.*?)(?:\.(\d+))?Z$/.exec(capture.wall_t0 ?? '');

	if (!m)
		return null;
	const first = BigInt(Date.parse(`${m[1]}Z`)) * 1000000n + BigInt((m[2] ?? '').padEnd(9, '0').slice(0, 9));
	const ns = first + BigInt(Math.round(t));
	const ms = Number(ns / 1000000n);
	const text = new Date(ms).toISOString();

	return { day: text.slice(0, 10), time: text.slice(11, 19), ns: String(ns % 1000000000n).padStart(9, '0') };
}

// The first @digits after the point; the rest is cut off, not rounded, as no time may come before its cause.
const cut = (text, digits) => (digits ? text.slice(0, text.length - 9 + digits) : text.slice(0, -10));

/** The distance from the last round multiple of @step ns to the first event, by the current clock. */
export function clockOffset(step) {
	const { kind, capture } = shown;
	const wall = kind === 'wall' ? wallTime(capture, 0) : null;

	// a day is a multiple of every step of a wall clock's axis
	if (wall)
		return Number((BigInt(Date.parse(`${wall.day}T${wall.time}Z`)) * 1000000n + BigInt(wall.ns)) % BigInt(step));
	return kind === 'clock' ? Number(BigInt(capture.t0_ns) % BigInt(step)) : 0;
}

/**
 * [size in ns, unit] of times since the start: one per capture, so that they can be compared.
 * @returns {[number, string]}
 */
function unitOfStart() {
	return shown.capture.window?.to < 1e9 ? [1e6, 'ms'] : [1e9, 's'];
}

/** The time @t ns after the first event by the current clock: "3.201456 s", "45.424 ms", "922.060149 s", "13:47:48.060149". @digits: of a second. */
export function moment(t, digits = 6) {
	const { kind, capture } = shown;
	const wall = kind === 'wall' ? wallTime(capture, t) : null;

	if (wall)
		return cut(`${wall.time}.${wall.ns}`, digits);
	if (kind === 'clock')
		return `${cut(clockTime(capture, t), digits)} s`;
	const [size, unit] = unitOfStart();

	return `${(t / size).toFixed(unit === 's' ? digits : Math.max(0, digits - 3))} ${unit}`;
}

/** The same with digits that fit a window of @span ns. */
export function momentIn(t, span) {
	return moment(t, Math.min(9, Math.max(0, Math.ceil(3 - Math.log10(Math.max(span, 1) / 1e9)))));
}

/** When a wait began; if that may be before the range, of which only its part in the range counts, its mark alone. */
export function beganAt(t, [from, to]) {
	return t <= from ? '◂ begin' : momentIn(t, to - from);
}

/** A time range, with enough digits to distinguish its ends: "2.34–2.48 s". */
export function spanText([from, to]) {
	if (shown.kind !== 'start') {
		const digits = Math.min(9, Math.max(1, Math.ceil(1 - Math.log10(Math.max(to - from, 1) / 1e9))));

		return `${moment(from, digits).replace(/ s$/, '')}–${moment(to, digits)}`;
	}
	const [size, unit] = unitOfStart();
	const digits = Math.min(unit === 's' ? 9 : 6, Math.max(1, Math.ceil(1 - Math.log10(Math.max(to - from, 1) / size))));

	return `${(from / size).toFixed(digits)}–${(to / size).toFixed(digits)} ${unit}`;
}
