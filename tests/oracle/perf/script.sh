#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 600
#
# `cdict convert` followed by `cdict script` prints, line for line, the same as `perf script --guest-code --ns
# -F tid,cpu,time,event,trace` for the kept events: for every real capture, and for every
# synthetic one in every form.
set -u
. "$TOP/tests/oracle/_lib.sh"

# form TRACE FORM - builds in.FORM, converts it to in.FORM.cdict and prints it to in.FORM.lines.
form() {
	local trace=$1 form=$2 status
	make_form "$form" "$trace" "in.$form" || return
	"$CDICT" convert -q -e '*:*' -i "in.$form" -o "in.$form.cdict" 2>convert.err </dev/null
	status=$?
	# LOST records in a trace give status 2: $allowed is set if that is correct.
	[ $status -eq 0 ] || [ "$status" = "$allowed" ] ||
		{ echo "convert ends with $status:"; cat convert.err; }
	[ -e "in.$form.cdict" ] || { echo "convert gives no cdict"; return; }
	cdict_lines "in.$form.cdict" >"in.$form.lines"
	status=$?
	[ $status -eq 0 ] || [ "$status" = "$allowed" ] ||
		{ echo "script ends with $status:"; cat script.err; }
}

# check_form TRACE FORM - prints nothing, or the faults.
check_form() {
	local trace=$1 form=$2
	form "$trace" "$form"
	[ -e "in.$form.lines" ] || return
	perf_lines "in.$form" '[^:]*:.*' >perf.lines
	case $form-$trace in
	# perf's libtraceevent does not swap what __print_array prints: ours are those of the other byte order
	*be-*/generic.trace)
		mask_arrays perf.lines >a
		mask_arrays "in.$form.lines" >b
		differ a b
		differ in.le.lines "in.$form.lines"
		return
		;;
	esac
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
			differ in.le.lines "in.$form.lines"
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
# The fields of -F, runs of blanks aside. perf calls the task [guest/PID] while its guest was entered, and perf 6.12 :TID
# after PERF_RECORD_EXIT; here it keeps its name.
check_fields() {
	local capture=$1 fields
	for fields in comm,pid,tid,cpu,time,event,trace comm,time,event pid,time,trace tid 'comm,tid,trace --ns' 'time,event --ns'; do
		# shellcheck disable=SC2086
		perf script --guest-code -i "$capture" -F $fields 2>/dev/null | tr -s ' ' | sed 's/^ //;s/ $//' >want
		# shellcheck disable=SC2086
		"$CDICT" script -q -f "$capture" -F $fields | tr -s ' ' | sed 's/^ //;s/ $//' >got
		paste -d '\n' want got | awk 'NR % 2 { want = rest = $0; next }
			sub(/^(\[guest\/[0-9]+\]|:[0-9]+) /, "", rest) && rest == substr($0, length($0) - length(rest) + 1) { next }
			want != $0 { print "-" want "\n+" $0; if (++n == 3) exit }'
		[ "$(wc -l <want)" = "$(wc -l <got)" ] && [ -s want ] || echo "-F $fields: $(wc -l <got) lines, perf prints $(wc -l <want)"
	done
}
for capture in kvm-small kvm-callchain; do
	verdict "fields-of-$capture" "$(check_fields "$DATA/$capture.data")"
done
[ -n "$SHARED" ] || skip shared "no ../shared with more captures"
# Each form except the plain one with every third trace. The sanitizer build checks the code, not the output: with every sixth.
n=${SAMPLE:-0} of=3
all_of_perf=$forms_of_perf all_beyond=$forms_beyond_perf all_without=$forms_without_formats
case $BUILD in *san-*) of=6 ;; esac
for trace in "$DATA"/*.trace; do
	# shellcheck disable=SC2086 # they are words
	forms_of_perf=$(some_forms $n $of $all_of_perf) forms_beyond_perf=$(some_forms $n $of $all_beyond)
	# shellcheck disable=SC2086
	forms_without_formats=$(some_forms $n $of $all_without)
	n=$((n + 1))
	verdict "$(basename "$trace")" "$(check_trace "$trace")"
done
