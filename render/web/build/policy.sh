#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The page's Content-Security-Policy as a C string: policy.sh [wasm-unsafe-eval] STYLE SCRIPT...
# Only the exact content of these files may run or style, plus WebAssembly if requested;
# nothing may be fetched.
set -eu

# sha256 in base64, with POSIX tools and coreutils only
hash() {
	sha256sum <"$1" | awk '{
		letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
		for (i = 1; i <= 64; i++) {
			v = v * 16 + index("0123456789abcdef", substr($1, i, 1)) - 1
			if (i % 3 == 0) { # 12 bits: two letters
				out = out substr(letters, int(v / 64) + 1, 1) substr(letters, v % 64 + 1, 1)
				v = 0
			}
		}
		# 256 bits are 42 letters and 4 bits
		printf "%s%s=", out, substr(letters, v * 4 + 1, 1)
	}'
}

scripts=
if [ "$1" = wasm-unsafe-eval ]; then
	scripts=" 'wasm-unsafe-eval'"
	shift
fi
style=$(hash "$1")
shift
for file; do
	scripts="$scripts 'sha256-$(hash "$file")'"
done
printf '/* Made by render/web/build/policy.sh. */\n#define PAGE_POLICY \\\n'
printf '\t"default-src '"'none'"'; script-src%s; style-src '"'sha256-%s'"'; worker-src blob:; " \\\n' "$scripts" "$style"
printf '\t"img-src data: blob:; base-uri '"'none'"'; form-action '"'none'"'"\n'
