#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Parts of the page's code that need no page: formats of names and numbers, contents of the address, zoom
# ranges, percentiles. In Chromium, and in node if installed.
set -u
. "$TOP/tests/page/_lib.sh"
need chromium

(cd "$TOP" && awk -f render/web/build/bundle.awk -v entry=tests/page/_lib/ui_checks.js </dev/null) >checks.js || exit 1
{
	echo '<!DOCTYPE html><meta charset="utf-8"><body><script>'
	cat "$BUILD/web/d3.js"
	echo '</script><script>'
	cat checks.js
	echo '</script>'
} >checks.html
# The document is read back as HTML: its entities are the text's.
chromium_dump checks.html | sed -n 's/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g; s/^.*<body>//; /^\(not \)\{0,1\}ok \|^    #/p' >checks
sed 's/^\(not \)\{0,1\}ok /&in_chromium_/' checks
[ "$(grep -c '^ok' checks)" -ge 7 ] || { echo "Chromium ran $(grep -c ok checks) checks"; exit 1; }

if command -v node >/dev/null; then
	node --no-warnings checks.js | sed 's/^\(not \)\{0,1\}ok /&in_node_/'
else
	skip in_node "node is not installed"
fi
