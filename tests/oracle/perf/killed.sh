#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# needs: python3
# timeout: 300
#
# Real recordings as if killed (no formats, no features, the last record cut) after five parts of their records,
# and cut otherwise unchanged: with --formats every complete record gives the output of perf script for the same records with
# formats appended (tests/tools/run/mendperf.py).
set -u
. "$TOP/tests/oracle/_lib.sh"

have_perf || { echo "perf is not installed" >&2; exit 77; }
cd "$(mktemp -d)" || exit 1

lines() { sed -e 's/  */ /g' -e 's/^ //' -e 's/ $//' | sort; }

# parts FILE SOURCE...
parts() {
	local file=$1 size part source status
	shift
	size=$(stat -c %s "$file")
	for part in 100 310 550 720 880; do
		rm -f killed.data cut.data x.cdict
		python3 "$TOP/tests/tools/run/mendperf.py" --cut "$file" $((size * part / 1000)) killed.data
		head -c $((size * part / 1000)) "$file" >cut.data
		python3 "$TOP/tests/tools/run/mendperf.py" killed.data "$file" mended.data
		perf script --guest-code --ns -F tid,cpu,time,event,trace -i mended.data 2>/dev/null | lines >perf.txt
		for source in "$@"; do
			for input in killed.data cut.data; do
				rm -f x.cdict
				"$CDICT" convert -q --no-stacks -e '*:*' --formats "$source" $input -o x.cdict
				status=$?
				[ $status -eq 2 ] || echo "$part of 1000 of $input: status $status"
				"$CDICT" script -q x.cdict 2>/dev/null | lines >cdict.txt
				cmp -s perf.txt cdict.txt ||
					{ echo "$part of 1000 of $input, formats of $source: $(wc -l <cdict.txt) lines"; diff perf.txt cdict.txt | head -n 4; }
				found=$((found + $(wc -l <cdict.txt)))
			done
		done
	done
	[ "$found" -gt 100 ] || echo "only $found events: nothing was tested"
}

for file in "$DATA"/kvm-small.data "$DATA"/kvm-zstd.data "$DATA"/kvm-callchain.data \
	${SHARED:+"$SHARED"/captures/vmx/vmx-small-be.data "$SHARED"/captures/vmx/sched32.data}; do
	name=killed-and-cut-$(basename "$file" .data)-is-what-perf-script-prints-of-its-records
	[ -r "$file" ] || { skip "$name" "$file is missing"; continue; }
	found=0
	more=()
	# a saved copy of the kernel's format files
	case $(basename "$file") in kvm-small.data) [ -z "$SHARED" ] || more=("$SHARED/captures/formats") ;; esac
	verdict "$name" "$(parts "$file" "$file" "${more[@]}" 2>&1)"
done
