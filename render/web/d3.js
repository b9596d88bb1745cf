// SPDX-License-Identifier: GPL-2.0-only
// d3 as a module: the page has it as a script of its own, before the bundle.

export const d3 = globalThis.d3;
