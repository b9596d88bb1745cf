#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# render/web/build/bundle.awk stops the build if, and only if, it would join a module incorrectly.
set -uo pipefail
cd "$(dirname "$0")/../.."
module=$(mktemp "${TMPDIR:-/tmp}/bundle.XXXXXX")
trap 'rm -f "$module"' EXIT
failed=0
holds() { # NAME STATUS TEXT
	printf '%s\n' "$3" >"$module"
	awk -f render/web/build/bundle.awk -v entry="$module" </dev/null >/dev/null 2>"$module.err"
	if [ $? = "$2" ]; then
		echo "ok $1"
	else
		echo "not ok $1"
		cat "$module.err"
		failed=1
	fi
	rm -f "$module.err"
}
holds one_name_an_export 0 "export const a = 1;"
holds a_second_name_ends_the_build 1 "export const a = 1, b = 2;"
holds a_second_name_on_the_next_line_does_too 1 "export const a = 1,
	b = 2;"
holds commas_within_a_value_do_not_separate 0 "export const a = Object.freeze({ x: [1, 2], y: f(3, 4) });"
holds commas_within_a_text_do_not_separate 0 "export const font = 'serif, \"A, B\"'; // a, b"
holds a_value_may_go_on 0 "export const a = { x: 1, y: [
	2, 3] };"
holds names_taken_apart_end_the_build 1 "export const { a, b } = x;"
holds a_default_export_ends_the_build 1 "export default 1;"
# the part of a module in a page: its code, complete
printf '%s\n' '// words' '/**' ' * @type {number}' ' */' 'export const a = 1; // one' '	/** @type {any} */ (f)(a);' '/* words */' "	const u = 'http://x'; /* y */" >"$module"
if [ "$(awk -f render/web/build/bundle.awk -v entry="$module" | sed '1,4d')" = "$(printf '%s\n' 'const a=1;' '(f)(a);' "const u = 'http://x'; /* y */" 'return{a};' '})();' '})();')" ]; then
	echo "ok comments_are_removed_and_code_is_kept"
else
	echo "not ok comments_are_removed_and_code_is_kept"
	awk -f render/web/build/bundle.awk -v entry="$module"
	failed=1
fi
# spaces that only help readers are removed, texts are kept
printf '%s\n' "const a = f(x, 'a, b') ? \`\${y} = { 1 } : \${z}\` : \"it's, so\";" "if (a && /x, 'y/.test(b)) c = 1;" "const d = \`\${e ? \`f, g\` : ''}, h\`;" >"$module"
if [ "$(awk -f render/web/build/bundle.awk -v entry="$module" | sed '1,4d;$d' | head -3)" = "$(printf '%s\n' "const a=f(x,'a, b')?\`\${y} = { 1 } : \${z}\`:\"it's, so\";" "if (a && /x, 'y/.test(b)) c = 1;" "const d = \`\${e ? \`f, g\` : ''}, h\`;")" ]; then
	echo "ok spaces_outside_of_texts_are_removed"
else
	echo "not ok spaces_outside_of_texts_are_removed"
	awk -f render/web/build/bundle.awk -v entry="$module"
	failed=1
fi
# signs that would join stay apart, a division is no regular expression
printf '%s\n' 'const a = b + +c - -d;' 'const e = (b - c) / 2 + d; // half' "const f = x; // it's" >"$module"
if [ "$(awk -f render/web/build/bundle.awk -v entry="$module" | sed '1,4d;$d' | head -3)" = "$(printf '%s\n' 'const a=b + +c - -d;' 'const e=(b-c)/2+d;' "const f = x; // it's")" ]; then
	echo "ok signs_and_divisions_keep_their_meaning"
else
	echo "not ok signs_and_divisions_keep_their_meaning"
	awk -f render/web/build/bundle.awk -v entry="$module"
	failed=1
fi
exit $failed
