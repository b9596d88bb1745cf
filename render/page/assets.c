/* SPDX-License-Identifier: GPL-2.0-only */
/* The page's own style and scripts, embedded in the program. */
#include "render/page/assets.h"

#define ASSET(name, file)                                                                          \
	__asm__(".section .rodata\n"                                                               \
		".balign 16\n"                                                                     \
		"page_asset_" #name ":\n"                                                          \
		".incbin \"" PAGE_WEB "/" file "\"\n"                                              \
		"page_asset_" #name "_end:\n"                                                      \
		".byte 0\n"                                                                        \
		".previous\n");                                                                    \
	extern const char page_asset_##name[] __attribute__((visibility("hidden")));               \
	extern const char page_asset_##name##_end[] __attribute__((visibility("hidden")));         \
	const struct page_asset page_##name = { page_asset_##name, page_asset_##name##_end }

ASSET(style, "page.css");
ASSET(script, "page.js");
ASSET(worker, "worker.js");
ASSET(d3, "d3.js");
ASSET(flame_style, "flame.css");
ASSET(flame_script, "flame.js");
ASSET(fleet_style, "fleet.css");
ASSET(fleet_script, "fleet.js");
ASSET(engine_gz, "engine.wasm.gz");
