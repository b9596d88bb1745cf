#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# pictures.sh DIR [svg|png]... - draws the pictures of doc/guide.md and README.md in DIR, by the commands in these files, from
# tests/data/kvm-small.data: SVG by `cdict heatmap`; PNG of the page in a headless Chromium, guide-VIEW.png of its view VIEW, and in
# guide-VIEW.txt the words of that page.
# The font is always DejaVu Sans, drawn alike, whatever the system prefers: another font would break lines elsewhere.
# Environment: CDICT the program, TOP the sources; FONTS more fontconfig rules.  Status 77: Chromium or the font is missing.
set -euo pipefail
out=$(realpath "$1")
kinds=" ${*:2} "
[ "$kinds" != "  " ] || kinds=" svg png "

# commands FILE - the ones with which the file goes from the recording to pictures
commands() { sed -nE 's/^    \$ (cdict (convert|annotate|report|heatmap) -q .*)/\1/p' "$1"; }
# shown KIND - the pictures of a kind that are shown, by name
shown() { cat "$TOP/doc/guide.md" "$TOP/README.md" | grep -o "pictures/[a-z-]*\.$1" | sed 's/^pictures.//' | sort -u; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cp "$TOP/tests/data/kvm-small.data" run.data
cp "$TOP/tests/data/kvm-small.map.csv" map.csv
cdict() { "$CDICT" "$@"; }
while IFS= read -r command; do
	eval "$command" </dev/null
done < <(commands "$TOP/doc/guide.md" && commands "$TOP/README.md")

case $kinds in *" svg "*) shown svg | xargs -I{} cp {} "$out" ;; esac
case $kinds in
*" png "*)
	for program in node "${CHROMIUM:-chromium}"; do
		command -v "$program" >/dev/null || { echo "$program is not installed" >&2 && exit 77; }
	done
	[ -n "$(find /usr/share/fonts -name DejaVuSans.ttf 2>/dev/null)" ] || { echo "DejaVu Sans is not installed" >&2 && exit 77; }
	cat >fonts.conf <<-END
		<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
		<fontconfig><dir>/usr/share/fonts</dir><cachedir>$work/fonts</cachedir>
		<match target="pattern">
		<edit name="family" mode="assign" binding="strong"><string>DejaVu Sans</string></edit>
		<edit name="antialias" mode="assign"><bool>true</bool></edit><edit name="rgba" mode="assign"><const>none</const></edit>
		<edit name="hinting" mode="assign"><bool>true</bool></edit><edit name="autohint" mode="assign"><bool>false</bool></edit>
		<edit name="hintstyle" mode="assign"><const>hintslight</const></edit>
		</match>${FONTS-}</fontconfig>
	END
	export FONTCONFIG_FILE=$work/fonts.conf
	mapfile -t views < <(shown png | sed -n 's/^guide-\(.*\)\.png$/\1/p')
	pictures=()
	for view in "${views[@]}"; do pictures+=("$out/guide-$view.png=$view"); done
	node "$TOP/tests/tools/run/shoot.mjs" run.html "${pictures[@]}"
	;;
esac
