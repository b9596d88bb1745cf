// SPDX-License-Identifier: GPL-2.0-only
// Dark and light: the colours of render/draw/palette.c become the style sheet's variables.

export function themeName(wish) {
	return wish || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
}

/** Sets the variables and returns the theme's colours. */
export function applyTheme(page, wish) {
	const name = themeName(wish);
	const palette = page.palette[name];
	const { style, dataset } = document.documentElement;

	dataset.theme = name;
	for (const key of ['paper', 'plot', 'text', 'dim', 'axis', 'grid', 'accent', 'loss'])
		style.setProperty(`--${key}`, palette[key]);
	for (const [state, colour] of Object.entries(palette.states))
		style.setProperty(`--state-${state}`, colour);
	return palette;
}
