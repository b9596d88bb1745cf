#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The page's pictures in doc/guide.md and README.md match the current page in a real Chromium, also with letters drawn differently:
# nearly the same squares, and exactly the same words, so that small changes do not add up unseen until a picture differs. Pictures
# of other views and other captures do not match.
set -u
. "$TOP/tests/page/_lib.sh"
need node chromium python3

# same A B - prints the difference of the pictures
same() { python3 "$TOP/tests/tools/check/samepicture.py" "$1" "$2" >differences 2>&1 || echo "${1##*/}: $(cat differences)"; }
# words A B - prints how the words in the pictures differ
words() { diff "${1%png}txt" "${2%png}txt" 2>&1 | grep -v '^[0-9-]'; }

mkdir today jagged other
"$TOP/tests/tools/run/pictures.sh" today png 2>shoot.err
case $? in
0) ;;
77) skip the_page_looks_as_the_guide_shows_it "$(tail -n 1 shoot.err)" && exit ;;
*) fail the_page_is_drawn_for_the_guide <shoot.err && exit ;;
esac
pictures=$(cd today && echo *.png)
verdict the_page_looks_as_the_guide_shows_it "$(for name in $pictures; do same "$TOP/doc/pictures/$name" "today/$name"; done | sed 's/$/; make pictures/')"
verdict the_page_has_the_words_that_the_guide_shows "$(for name in $pictures; do words "$TOP/doc/pictures/$name" "today/$name"; done | sed '$a make pictures')"

edit='<edit name="hinting" mode="assign"><bool>false</bool></edit><edit name="antialias" mode="assign"><bool>false</bool></edit>'
FONTS="<match target=\"pattern\">$edit</match><match target=\"font\">$edit</match>" "$TOP/tests/tools/run/pictures.sh" jagged png
verdict letters_drawn_in_another_way_are_no_other_picture "$(for name in $pictures; do
	! cmp -s "today/$name" "jagged/$name" || echo "$name: the letters are the same"
	same "today/$name" "jagged/$name"
	words "today/$name" "jagged/$name"
done)"

"$CDICT" convert -q -i "$DATA/kvm-libvirt-cgroups.data" -o run.cdict && report run.cdict &&
	node "$TOP/tests/tools/run/shoot.mjs" run.html other/guide-vcpus.png=vcpus other/guide-exits.png=exits || exit 1
apart() {
	[ -n "$(same "$1" "$2")" ] || echo "$1 and $2: $(cat differences)"
	[ -n "$(words "$1" "$2")" ] || echo "$1 and $2 have the same words"
}
verdict another_view_or_capture_is_another_picture "$(for name in $pictures; do apart "today/$name" "other/$name"; done
	apart today/guide-vcpus.png today/guide-exits.png)"
