#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# uninstrumented: perf loads the plugin
# waits: 1
# needs: perf
#
# In a real Chromium: frames of flame graphs in SVG and HTML are as wide as their sums, and respond to a click and a search; the
# page's graphs equal those of cdict flame for the range, the task, the CPU.
set -u
. "$TOP/tests/page/_lib.sh"
need node chromium perf

cd "$TMPDIR" || exit
mkdir -p "$BUILD/screens"
perf script --dlfilter "$BUILD/cdict-dlfilter.so" --dlarg out=p.cdict -i "$DATA/kvm-callchain.data" >/dev/null 2>perf.err
[ -s p.cdict ] || { cat perf.err; exit 1; }
printf '%b' '</script><script>alert(1)</script>;"q\x27&<b>\x1b[31m;]]> 7\n' >h.folded
"$CDICT" flame p.cdict -q --label cloud -o x.svg -o x.html && "$CDICT" flame h.folded -q -o h.html && report p.cdict -o p.html || exit
node "$LIB/flame.mjs" "$PWD/x.svg" "$PWD/x.html" "$PWD/h.html" "$PWD/p.html" "$PWD/p.cdict"
