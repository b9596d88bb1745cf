#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# needs: python3
# timeout: 600
#
# Pictures of real and synthetic captures: every view in every format is valid (xmllint, pdftoppm, a
# PNG with more than one colour); the same input gives the same bytes; the counts that a picture
# states equal those of `cdict tasks` and `cdict exits`; loss is reported and hatched; hostile names
# stay text.
set -u
. "$TOP/tests/oracle/_lib.sh"
unset COLORTERM COLORFGBG NO_COLOR

have() { command -v "$1" >/dev/null 2>&1; }

views='switches:run switches:sleep switches:wakeup kvm:exit kvm:guest exits:count exits:time
	vcpu: coremap:run coremap:switches cpu: cores:'

# options_of VIEW:CHOICE
options_of() {
	echo "--view ${1%%:*}"
	case $1 in
	switches:?* | kvm:?*) echo "--what ${1#*:}" ;;
	exits:?* | coremap:?*) echo "--by ${1#*:}" ;;
	esac
}

# whole FILE... - prints faults of the pictures, each line beginning with the file's name; one
# xmllint and one python for all of them
whole() {
	local file pngs=() svgs=()
	for file; do
		[ -s "$file" ] || { echo "$file: is empty"; continue; }
		case $file in
		*.svg) svgs+=("$file") ;;
		*.png) pngs+=("$file") ;;
		*.pdf)
			have pdftoppm || continue
			pdftoppm -r 40 -png "$file" page 2>&1 | head -n 5 | sed "s/^/$file: /"
			ls page*.png >/dev/null 2>&1 || echo "$file: pdftoppm draws no page"
			rm -f page*.png
			;;
		esac
	done
	! have xmllint || [ ${#svgs[@]} -eq 0 ] || xmllint --noout --nonet "${svgs[@]}" 2>&1
	[ ${#pngs[@]} -eq 0 ] || python3 - "${pngs[@]}" <<-'END' 2>&1
		import struct, sys, zlib
		for name in sys.argv[1:]:
		    data = open(name, "rb").read()
		    if data[:8] != b"\x89PNG\r\n\x1a\n":
		        print(name + ": is not a PNG")
		        continue
		    at, pixels = 8, b""
		    while at < len(data):
		        size, kind = struct.unpack(">I4s", data[at:at + 8])
		        if kind == b"IDAT":
		            pixels += data[at + 8:at + 8 + size]
		        at += size + 12
		    if len(set(zlib.decompress(pixels))) < 20:
		        print(name + ": is blank")
	END
}

# every view of one capture, each in one of three formats, in the next capture in the next (EVERY=1: in all)
turn=0
check_formats() {
	local file=$1 name=$2 view options wrong format a n=$((turn += 1))
	rm -rf a && mkdir a
	for view in $views; do
		a=a/${view/:/-}
		: >"$a.wrong"
		options=$(options_of "$view")
		for format in svg png pdf; do
			in_sample $((n += 1)) 3 || continue
			# shellcheck disable=SC2086 # the options are words
			"$CDICT" heatmap "$file" $options -q -o "$a.$format" >>"$a.wrong" 2>&1
			# shellcheck disable=SC2086
			"$CDICT" heatmap "$file" $options -q --format-out $format -o - >b
			cmp -s "$a.$format" b || echo "$format: two runs differ" >>"$a.wrong"
		done
		n=$((n + 1))
		# shellcheck disable=SC2086
		"$CDICT" heatmap "$file" $options -q >terminal
		[ -s terminal ] || echo "nothing for the terminal" >>"$a.wrong"
		! LC_ALL=C grep -q '[^ -~]' terminal || echo "the terminal's is not ASCII" >>"$a.wrong"
		awk 'length > 80 { exit 1 }' terminal || echo "a line is longer than the terminal" >>"$a.wrong"
	done
	whole a/*.svg a/*.png a/*.pdf >whole.out
	# lines without a picture's name belong to all
	grep -v '^a/' whole.out >whole.rest
	for view in $views; do
		a=a/${view/:/-}
		verdict "$name-${view/:/-}" "$(cat "$a.wrong" whole.rest; grep "^$a\." whole.out)"
	done
}

# numbers_of FILE OPTIONS... - prints the numbers in a picture's last lines: "events drawn"
numbers_of() {
	"$CDICT" heatmap "$@" -q --width 400 | tail -n 1 | tr -d , |
		sed -n 's/^\([0-9]*\) [a-z].*: \([0-9]*\) drawn.*/\1 \2/p
			s/^\([0-9]*\) .* all drawn.*/\1 \1/p
			s/^\([0-9]*\) [a-z].*: [0-9]* \(whose\|of\) .*/\1 0/p
			s/^\([0-9]*\) [a-z]*; .*/\1 0/p
			s/^\([0-9]*\) exits* of .*/\1 -/p'
}

# The counts of the picture are those of the tables.
check_sums() {
	local file=$1 name=$2 want got
	want=$("$CDICT" tasks "$file" -q --format json | python3 -c '
import json, sys
rows = [r for r in json.load(sys.stdin)["tasks"] if not r["idle"]]
print(sum(r["switches"] for r in rows))')
	got=$(numbers_of "$file" --view switches)
	verdict "$name-runs-are-switches" "$([ "${got%% *}" = "$want" ] || echo "$want, drawn: $got")"
	want=$("$CDICT" script "$file" 2>/dev/null | grep -c ' kvm:kvm_exit: ')
	got=$(numbers_of "$file" --view exits --by count)
	verdict "$name-exits-are-events" "$([ "${got%% *}" = "$want" ] || echo "$want, drawn: $got")"
	got=$(numbers_of "$file" --view kvm --what guest)
	verdict "$name-guest-times-are-exits" \
		"$([ "${got%% *}" = "$want" ] || echo "$want, drawn: $got")"
	want=$("$CDICT" script "$file" 2>/dev/null | grep -c ' kvm:kvm_entry: ')
	got=$(numbers_of "$file" --view kvm --what exit)
	verdict "$name-exit-times-are-entries" \
		"$([ "${got%% *}" = "$want" ] || echo "$want, drawn: $got")"
}

have xmllint || skip pictures-svg "xmllint is not installed"
have pdftoppm || skip pictures-pdf "pdftoppm is not installed"

for data in "$DATA"/kvm-small.data "$DATA"/kvm-zstd.data "$DATA"/kvm-callchain.data; do
	name=pictures-$(basename "$data" .data)
	"$CDICT" convert -q -i "$data" -o x.cdict || { fail "$name" <<<"cannot convert"; continue; }
	check_formats x.cdict "$name"
	check_sums x.cdict "$name"
done

# --- captures without the events that a view needs, and with loss ---

for trace in loss two-vcpus arm64-exits hotplug migrations; do
	rm -f t.cdict
	$MKPERF -o t.data "$DATA/$trace.trace" &&
		"$CDICT" convert -q --max-loss 100 -i t.data -o t.cdict ||
		{ fail "pictures-$trace" <<<"cannot make it"; continue; }
	wrong=
	for view in $views; do
		for format in svg png pdf; do
			# shellcheck disable=SC2046
			wrong+=$("$CDICT" heatmap t.cdict $(options_of "$view") -q --max-loss 100 \
				-o "t-${view/:/-}.$format" 2>&1)
		done
	done
	wrong+=$(whole t-*)
	rm -f t-*
	verdict "pictures-$trace" "$wrong"
	[ "$trace" = loss ] && mv t.cdict loss.cdict
done

wrong=
for view in switches cores kvm; do
	"$CDICT" heatmap loss.cdict -q --max-loss 100 --view $view -o loss.svg
	grep -q 'url(#loss)' loss.svg || wrong+="$view: not hatched. "
	grep -q '7 events lost' loss.svg || wrong+="$view: not reported. "
done
for view in exits vcpu coremap cpu; do
	"$CDICT" heatmap loss.cdict -q --max-loss 100 --view $view -o loss.svg
	grep -q '7 events lost' loss.svg || wrong+="$view: not reported. "
done
verdict pictures-report-loss "$wrong"

# --- hostile names, hosts and labels ---

ln -s "$DATA/formats" formats
cat >evil.trace <<'END'
cpus 1
host "</title><script>alert(1)</script>"
default kvm:kvm_exit isa=1
proc 300/301 "</script><b>"
proc 300/302 "'&]]>"
proc 300/303 "\x1b[2J\xff\n"
proc 300/304 "\xe2\x80\xaeRTL"
301 [000] 10.000000: sched:sched_switch: prev_pid=301 prev_state=S next_pid=302
302 [000] 10.000010: kvm:kvm_entry: vcpu_id=0
302 [000] 10.000020: kvm:kvm_exit: vcpu_id=0 exit_reason=CPUID
302 [000] 10.000030: kvm:kvm_entry: vcpu_id=0
302 [000] 10.000100: sched:sched_switch: prev_pid=302 prev_state=S next_pid=303
303 [000] 10.000110: kvm:kvm_entry: vcpu_id=1
303 [000] 10.000120: kvm:kvm_exit: vcpu_id=1 exit_reason=HLT
303 [000] 10.000300: sched:sched_switch: prev_pid=303 prev_state=S next_pid=304
304 [000] 10.000400: sched:sched_switch: prev_pid=304 prev_state=R+ next_pid=301
301 [000] 10.000500: sched:sched_switch: prev_pid=301 prev_state=S next_pid=302
END
if $MKPERF -o evil.data evil.trace && "$CDICT" convert -q -i evil.data -o evil.cdict; then
	label=$'</text><script>\x01\xff"\'&'
	wrong=
	for view in $views; do
		for format in svg png pdf; do
			# shellcheck disable=SC2046
			wrong+=$("$CDICT" heatmap evil.cdict $(options_of "$view") -q --label "$label" \
				-t '.*' -o "evil-${view/:/-}.$format" 2>&1)
		done
		grep -aq '<script\|<b>' "evil-${view/:/-}.svg" && wrong+="$view: a name became markup. "
		LC_ALL=C grep -aq $'[\x01-\x08\x0b-\x1f\x7f]' "evil-${view/:/-}.svg" &&
			wrong+="$view: a control character is left. "
		grep -aq $'\xe2\x80\xae' "evil-${view/:/-}.svg" && wrong+="$view: a bidi control is left. "
		# shellcheck disable=SC2046
		"$CDICT" heatmap evil.cdict $(options_of "$view") -q --label "$label" >terminal
		LC_ALL=C grep -q '[^ -~]' terminal && wrong+="$view: not plain in the terminal. "
	done
	wrong+=$(whole evil-*)
	verdict pictures-of-hostile-names "$wrong"
else
	fail pictures-of-hostile-names <<<"cannot make the capture"
fi
