#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 900
# takes: 8
#
# Pictures of every view at two sizes, light and dark, kept in build/screens to be looked at.
set -u
. "$TOP/tests/page/_lib.sh"
need node chromium
screens=$BUILD/screens
mkdir -p "$screens"

real=$DATA/kvm-libvirt-cgroups.data
"$CDICT" convert -q -i "$real" -o run.cdict || exit 1
report run.cdict || exit 1
"$CDICT" convert -q -i "$DATA/kvm-small.data" -o small.cdict || exit 1
report small.cdict run.cdict --label before,after -o both.html || exit 1
report "$TOP/tests/golden/v1.0-loss.cdict" -o loss.html || exit 1

text=$(node "$LIB/screens.mjs" run.html "$screens" run 2>&1) && text=
verdict every_view_is_drawn_at_both_sizes_in_both_themes "$text"
text=$(node "$LIB/screens.mjs" both.html "$screens" both compare vcpus 2>&1) && text=
verdict the_comparison_is_drawn "$text"
text=$(node "$LIB/screens.mjs" loss.html "$screens" loss vcpus tasks cores 2>&1) && text=
verdict a_capture_with_loss_is_drawn "$text"

# What a person gets who knows no more than chromium --screenshot: the first view, painted when the page has loaded.
plain() {
	local name=$screens/plain.png
	rm -f "$name"
	chromium_once --screenshot="$name" run.html >chromium.out 2>&1 || tail -n 3 chromium.out
	[ "$(stat -c %s "$name" 2>/dev/null || echo 0)" -ge 15000 ] || echo "the picture is nearly blank"
}
verdict a_plain_screenshot_shows_the_first_view "$(plain)"
