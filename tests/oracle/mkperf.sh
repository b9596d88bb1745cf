#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Are the made-up captures real ones?  Every tests/data/*.trace is built in every form, and the real
# perf must read each: the same lines in all of them, as many as the trace has samples.
#
# Environment: MKPERF the tool, DATA tests/data.  Prints ok, not ok or skip for each trace.
set -u
export LC_ALL=C		# the lines are bytes: a comm need not be text
: "${MKPERF:?}" "${DATA:?}"

# perf 6.1 cannot read byte-swapped pipes (FEATURE records and samples stay unswapped) and knows no
# COMPRESSED2: those forms are only built.
forms='le be pipe zstd zstd-be zstd-pipe dir dir-be dir-zstd attr-old'
built='be-pipe zstd2 attr-new kill no-tracing'

options() {
	case $1 in
	le) ;;
	be) echo --big-endian ;;
	pipe) echo --pipe ;;
	be-pipe) echo --pipe --big-endian ;;
	zstd) echo --zstd=37 ;;
	zstd2) echo --zstd2=37 ;;
	zstd-be) echo --zstd=301 --big-endian ;;
	zstd-pipe) echo --zstd=5000 --pipe ;;
	dir) echo --dir ;;
	dir-be) echo --dir --big-endian ;;
	dir-zstd) echo --dir --zstd=61 ;;
	attr-old) echo --attr-size 112 ;;
	attr-new) echo --attr-size 144 ;;
	kill) echo --kill ;;
	no-tracing) echo --no-tracing ;;
	esac
}

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
status=0

# Samples, and every other record that perf has a line for.  Without --hide-call-graph perf prints
# the call chains of a pipe although -F does not ask for them.
samples() {
	perf script --guest-code --ns --hide-call-graph -F tid,cpu,time,event,trace -i "$1" \
		2>"$work/err"
}
records() {
	perf script --guest-code --ns --hide-call-graph --show-task-events --show-switch-events \
		--show-lost-events -F comm,pid,tid,cpu,time,event -i "$1" 2>"$work/err"
}

# Equal but for the printed arrays?
mask_arrays() {
	sed 's/=[0-9][0-9 ]* \(addr\|tail\)=/= \1=/g' "$work/le.samples" >"$work/a"
	sed 's/=[0-9][0-9 ]* \(addr\|tail\)=/= \1=/g' "$work/$1.samples" | cmp -s - "$work/a"
}

# Lines of equal time CPU by CPU, as in a plain file's round.
merge_cpus() {
	sed -n 's/^\(.*\[\([0-9]*\)\] *\([0-9.]*\):.*\)$/\3 \2 \1/p' "$work/$1.samples" |
		sort -s -k1,1n -k2,2n | sed 's/^[0-9.]* [0-9]* //' >"$work/sorted"
	mv "$work/sorted" "$work/$1.samples"
	sed -n 's/^\(.*\[\([0-9]*\)\] *\([0-9.]*\):.*\)$/\3 \2 \1/p' "$work/$1.records" |
		sort -s -k1,1n -k2,2n | sed 's/^[0-9.]* [0-9]* //' >"$work/sorted"
	mv "$work/sorted" "$work/$1.records"
}

# check TRACE: prints what is wrong, nothing when all is well.
check() {
	count=$("$MKPERF" --count "$1" 2>&1) || { echo "$count"; return; }
	for form in $forms $built; do
		rm -rf "${work:?}/$form"
		# shellcheck disable=SC2046 # the options are words
		"$MKPERF" $(options "$form") -o "$work/$form" "$1" 2>"$work/err" ||
			{ echo "$form: $(cat "$work/err")"; return; }
	done
	for form in $forms; do
		samples "$work/$form" >"$work/$form.samples" ||
			{ echo "$form: perf script fails: $(tail -n 1 "$work/err")"; return; }
		records "$work/$form" >"$work/$form.records" ||
			{ echo "$form: perf script fails: $(tail -n 1 "$work/err")"; return; }
		lines=$(wc -l <"$work/$form.samples")
		[ "$lines" -eq "$count" ] ||
			{ echo "$form: perf prints $lines samples, the trace has $count"; return; }
		case $form in
		dir*) merge_cpus "$form" ;;	# perf reads the files in readdir's order
		esac
		for what in samples records; do
			# libtraceevent does not swap what __print_array prints (generic.trace says what is right)
			case $what-$form-$1 in
			samples-*be-*/generic.trace)
				mask_arrays "$form" && continue ;;
			esac
			# perf 6.1 swaps the sample_id of PERF_RECORD_SWITCH eight bytes too late
			case $what-$form-$1 in
			records-*be-*/switch-per-task.trace) continue ;;
			esac
			cmp -s "$work/le.$what" "$work/$form.$what" || {
				echo "$form: $what differ from the plain file's:"
				diff "$work/le.$what" "$work/$form.$what" | head -n 5
				return
			}
		done
	done
	[ -s "$work/le.records" ] || echo "no records at all"
}

for trace in "$DATA"/*.trace; do
	name=mkperf-$(basename "$trace" .trace)
	if ! command -v perf >/dev/null 2>&1; then
		echo "skip $name perf is not installed"
		continue
	fi
	wrong=$(check "$trace")
	if [ -z "$wrong" ]; then
		echo "ok $name"
	else
		echo "not ok $name"
		echo "$wrong" | sed 's/^/    /'
		status=1
	fi
done
exit $status
