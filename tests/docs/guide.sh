#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs each command in doc/guide.md and compares its output; the SVG pictures of the guide and of README equal redrawn ones, byte by byte.
# needs: python3
set -u
. "$TOP/tests/oracle/_lib.sh"

cd "$TMPDIR" || exit
unset COLUMNS LINES LESS CDICT_PAGER
export PAGER=cat PATH="${CDICT%/*}:$PATH"
cp "$DATA/kvm-small.data" run.data && cp "$DATA/kvm-small.map.csv" map.csv || exit
# A host and two guests, made up, as that of "Inside the guest"
python3 "$TOP/tests/tools/make/mkguests.py" --seconds 0.3 pair && for name in host web db; do
	"$MKPERF" --formats "$DATA/formats" -o pair.data pair/$name.trace && "$CDICT" convert -q -i pair.data -o $name.cdict || exit
done
printf '%s\n' 1001,instance-0000001c,vcpu0,,,, 1002,instance-0000001c,vcpu1,,,, 2001,instance-0000001b,vcpu0,,,, >vms.csv
"$CDICT" annotate -q host.cdict --map vms.csv || exit
python3 "$TOP/tests/tools/check/guide.py" "$TOP/doc/guide.md" >guide.md 2>guide.err
status=$?
if [ $status -eq 77 ]; then
	echo "skip the_guide_prints_what_its_commands_print no pseudo-terminal"
	exit
fi
[ $status -eq 0 ] || fail the_guide_is_run <guide.err
verdict the_guide_prints_what_its_commands_print "$(diff "$TOP/doc/guide.md" guide.md 2>&1 | head -40)"

# The page's own pictures and their words: tests/page/guide.sh.
mkdir drawn
"$TOP/tests/tools/run/pictures.sh" drawn svg 2>draw.err || fail the_pictures_are_drawn <draw.err
verdict the_pictures_match_those_of_the_commands "$(for path in "$TOP"/doc/pictures/*.svg drawn/*.svg; do
	cmp "$TOP/doc/pictures/${path##*/}" "drawn/${path##*/}" 2>&1
done | sort -u | sed 's/$/; make pictures/')"
shown=$(cat "$TOP/doc/guide.md" "$TOP/README.md" | grep -o 'pictures/[a-z-]*\.[a-z]*' | sort -u)
verdict each_picture_is_there_and_shown "$(diff <(cd "$TOP/doc" && ls pictures/*.{svg,png}) - <<<"$shown")"
