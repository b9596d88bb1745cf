#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 900
#
# Cut and changed captures.  All lines of a cut perf.data are lines of the complete one, and the status
# reports that events are missing.  A changed perf.data with status 0 gives exactly perf's output for it,
# or, if perf refuses it, for the unchanged file.  A cut or changed cdict never prints a line that the
# original does not have, and reports missing ones.
#
# A third of the places, with the sanitizers an eighth; EVERY=1: all.
set -u
. "$TOP/tests/oracle/_lib.sh"

size_of() { stat -c %s "$1"; }
u64_at() { od -An -tu8 -j"$2" -N8 "$1" | tr -d ' '; }

# not_in_all - the lines of cdict.lines that all.lines does not have; none in its beginning
not_in_all() {
	cmp -s -n "$(size_of cdict.lines)" all.lines cdict.lines && return
	sort cdict.lines | comm -13 all.sorted - | head -n 3
}

# even FROM TO N - of N places between, none at a multiple of eight, where a record may end
even() {
	local i n=$3 of=3
	case $BUILD in *san-*) of=8 ;; esac
	for ((i = 0; i < n; i++)); do
		in_sample $i $of || continue
		echo $((($1 + ($2 - $1) * i / n) / 8 * 8 + 1 + i % 7))
	done
}

# convert_in_time FILE - its status to $status
convert_in_time() {
	rm -f x.cdict cdict.lines
	rm -f x.cdict
	timeout -k 5 200 "$CDICT" convert -q -i "$1" -o x.cdict 2>convert.err </dev/null
	status=$?
	: >cdict.lines
	[ ! -e x.cdict ] || cdict_lines x.cdict >cdict.lines
	script_status=$?
	case $status in
	0 | 1 | 2) ;;
	*) echo "convert ends with $status" ;;
	esac
	case $script_status in
	0 | 1 | 2) ;;
	*) echo "script ends with $script_status" ;;
	esac
}

check_cuts() { # CAPTURE PLACES
	local capture=$1 places=$2 at other
	perf_lines "$capture" >all.lines
	[ -s all.lines ] || { echo "perf prints nothing"; return; }
	sort all.lines >all.sorted
	for at in $(even 0 "$(size_of "$capture")" "$places"); do
		head -c "$at" "$capture" >cut.data
		convert_in_time cut.data >wrong
		other=$(not_in_all)
		[ -z "$other" ] || echo "prints another line: $other" >>wrong
		[ "$status" -ne 0 ] || echo "status 0" >>wrong
		[ ! -e x.cdict ] || [ $script_status -eq 2 ] || echo "script's status is $script_status" >>wrong
		sed "s/^/cut at $at: /" wrong
	done
}

# change FILE AT - one byte becomes its complement
change() {
	local byte
	byte=$(od -An -tu1 -j"$2" -N1 "$1")
	# shellcheck disable=SC2059 # an escape is intended
	printf "\\x$(printf %x $((byte ^ 255)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

check_changes() { # CAPTURE: before the samples, in them, after them
	local capture=$1 at begin end
	perf_lines "$capture" >all.lines
	begin=$(u64_at "$capture" 40)
	end=$((begin + $(u64_at "$capture" 48)))
	for at in $(even 0 112 14) $(even 112 "$begin" 10) $(even "$begin" $end 20) \
		$(even $end "$(size_of "$capture")" 20); do
		cp "$capture" changed.data
		change changed.data "$at"
		convert_in_time changed.data >wrong
		if [ "$status" -eq 0 ]; then
			perf_prints changed.data '(sched|kvm):.*' >perf.lines
			[ -s perf.lines ] || cp all.lines perf.lines
			differ perf.lines cdict.lines | sed 's/^/status 0: /' >>wrong
		fi
		sed "s/^/change at $at: /" wrong
	done
}

# damaged_cdict FILE WHAT - every line is one of all.lines, and fewer lines mean status 2 (or 1)
damaged_cdict() {
	local other
	timeout -k 5 200 "$CDICT" script "$1" 2>script.err </dev/null | squeeze >cdict.lines
	status=${PIPESTATUS[0]}
	other=$(not_in_all)
	[ -z "$other" ] || echo "$2: prints another line: $other"
	case $status in
	0) cmp -s all.lines cdict.lines || echo "$2: lines are missing and the status is 0" ;;
	1 | 2) [ -s script.err ] || echo "$2: no message" ;;
	*) echo "$2: script ends with $status" ;;
	esac
}

check_cdict() {
	local at size
	"$CDICT" convert -q -i "$DATA/kvm-small.data" -o whole.cdict || echo "convert ends with $?"
	cdict_lines whole.cdict >all.lines
	sort all.lines >all.sorted
	size=$(size_of whole.cdict)
	for at in $(even 1 "$size" 40); do
		head -c "$at" whole.cdict >cut.cdict
		damaged_cdict cut.cdict "cut at $at"
	done
	for at in $(even 0 128 16) $(even 128 "$size" 60) $(even $((size - 256)) "$size" 16); do
		cp whole.cdict changed.cdict
		change changed.cdict "$at"
		damaged_cdict changed.cdict "change at $at"
	done
}

have_perf || { echo "perf is not installed" >&2; exit 77; }
cd "$(mktemp -d)" || exit 1
verdict cut-file "$(check_cuts "$DATA/kvm-small.data" 40)"
verdict cut-pipe "$(check_cuts "$DATA/kvm-pipe.data" 40)"
verdict cut-zstd "$(check_cuts "$DATA/kvm-zstd.data" 15)"
verdict changed-file "$(check_changes "$DATA/kvm-small.data")"
verdict cut-and-changed-cdict "$(check_cdict)"
