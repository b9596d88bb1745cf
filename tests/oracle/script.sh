#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 600
# takes: 24
#
# `cdict convert` and then `cdict script` is, line for line, what `perf script --guest-code --ns
# -F tid,cpu,time,event,trace` prints for the events kept: of every real capture, and of every
# made-up one in every form.
set -u
. "$TOP/tests/oracle/_lib.sh"

# form TRACE FORM - builds in.FORM, converts it to in.FORM.cdict and prints it to in.FORM.lines.
form() {
	local trace=$1 form=$2 status
	make_form "$form" "$trace" "in.$form" || return
	"$CDICT" convert -q -e '*:*' -i "in.$form" -o "in.$form.cdict" 2>convert.err </dev/null
	status=$?
	# LOST records in a trace make status 2: $allowed says whether that is right.
	[ $status -eq 0 ] || [ "$status" = "$allowed" ] ||
		{ echo "convert ends with $status:"; cat convert.err; }
	[ -e "in.$form.cdict" ] || { echo "convert gives no cdict"; return; }
	cdict_lines "in.$form.cdict" >"in.$form.lines"
	status=$?
	[ $status -eq 0 ] || [ "$status" = "$allowed" ] ||
		{ echo "script ends with $status:"; cat script.err; }
}

# check_form TRACE FORM - nothing, or what is wrong.
check_form() {
	local trace=$1 form=$2
	form "$trace" "$form"
	[ -e "in.$form.lines" ] || return
	perf_lines "in.$form" '[^:]*:.*' >perf.lines
	cmp -s perf.lines "in.$form.lines" && return
	case $form in
	dir*)
		merge_cpus <perf.lines >a
		merge_cpus <"in.$form.lines" >b
		differ a b
		;;
	*) differ perf.lines "in.$form.lines" ;;
	esac
}

# Nothing to print and no name for an event: status 2, and in words.
check_without_formats() {
	local trace=$1 form=$2 status
	make_form "$form" "$trace" "in.$form" || return
	"$CDICT" convert -i "in.$form" -o "in.$form.cdict" 2>convert.err </dev/null
	status=$?
	[ $status -eq 2 ] || echo "convert ends with $status, 2 expected"
	grep -q "^cdict convert: in\.$form: " convert.err || { echo "convert says:"; cat convert.err; }
	[ -z "$("$CDICT" script "in.$form.cdict" 2>/dev/null)" ] || echo "script prints lines"
}

check_trace() {
	local trace=$1 form wrong allowed=0
	rm -rf in.*
	grep -q ': LOST' "$trace" && allowed=2
	if ! "$MKPERF" --count "$trace" | grep -qv '^0$'; then
		allowed=2 # no event at all
	fi
	for form in $forms_of_perf; do
		wrong=$(check_form "$trace" "$form")
		[ -z "$wrong" ] || echo "$form: $wrong"
	done
	for form in $forms_beyond_perf; do
		wrong=$(
			form "$trace" "$form"
			case $form-$trace in
			be-*/generic.trace)
				mask_arrays in.le.lines >want
				mask_arrays "in.$form.lines" >got
				differ want got
				;;
			*) differ in.le.lines "in.$form.lines" ;;
			esac
		)
		[ -z "$wrong" ] || echo "$form: $wrong"
	done
	for form in $forms_without_formats; do
		wrong=$(check_without_formats "$trace" "$form")
		[ -z "$wrong" ] || echo "$form: $wrong"
	done
}


have_perf || { echo "perf is not installed" >&2; exit 77; }
cd "$(mktemp -d)" || exit 1
while IFS= read -r capture; do
	# The sanitizers look at the code, which is the same for many events: kvm-zstd has 65,286.
	case $BUILD in *san-*) ! is_large "$capture" || continue ;; esac
	verdict "$(basename "$capture" .data)" "$(convert_and_compare "$capture")"
done < <(real_captures all)
[ -n "$SHARED" ] || skip shared "no ../shared with more captures"
for trace in "$DATA"/*.trace; do
	verdict "$(basename "$trace")" "$(check_trace "$trace")"
done
