// SPDX-License-Identifier: GPL-2.0-only
// d3 as a module: the page loads it as a separate script, before the bundle.

export const d3 = globalThis.d3;
