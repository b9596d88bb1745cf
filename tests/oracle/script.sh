#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 600
#
# `cdict convert` and then `cdict script` is, line for line, what `perf script --guest-code --ns
# -F tid,cpu,time,event,trace` prints for the events kept: of every real capture, and of every
# made-up one in every form.
set -u
. "$TOP/tests/oracle/_lib.sh"

# perf 6.1 reads neither byte-swapped pipes nor COMPRESSED2 nor a larger attr: there the lines must be
# those of the plain file.  A killed recorder wrote no formats, as --no-tracing: nothing can be printed.
readable='le be pipe zstd zstd-be zstd-pipe dir dir-be dir-zstd attr-old'
unreadable='be-pipe zstd2 attr-new'
without_formats='kill no-tracing'

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

# libtraceevent does not swap what __print_array prints; generic.trace says what is right.
mask_arrays() { sed -i 's/=[0-9][0-9 ]* \(addr\|tail\)=/= \1=/g' "$@"; }

# form TRACE FORM - builds in.FORM, converts it to in.FORM.cdict and prints it to in.FORM.lines.
form() {
	local trace=$1 form=$2 status
	# shellcheck disable=SC2046 # the options are words
	"$MKPERF" $(options "$form") -o "in.$form" "$trace" 2>mkperf.err ||
		{ cat mkperf.err; return; }
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
	# shellcheck disable=SC2046
	"$MKPERF" $(options "$form") -o "in.$form" "$trace" 2>mkperf.err ||
		{ cat mkperf.err; return; }
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
	for form in $readable; do
		wrong=$(check_form "$trace" "$form")
		[ -z "$wrong" ] || echo "$form: $wrong"
	done
	for form in $unreadable; do
		wrong=$(
			form "$trace" "$form"
			cp in.le.lines want
			case $form-$trace in
			be-*/generic.trace) mask_arrays want "in.$form.lines" ;;
			esac
			differ want "in.$form.lines"
		)
		[ -z "$wrong" ] || echo "$form: $wrong"
	done
	for form in $without_formats; do
		wrong=$(check_without_formats "$trace" "$form")
		[ -z "$wrong" ] || echo "$form: $wrong"
	done
}

check_captures() { # PREFIX FILE...
	local prefix=$1 capture
	shift
	for capture; do
		verdict "$prefix$(basename "$capture" .data)" "$(convert_and_compare "$capture")"
	done
}

have_perf || { echo "perf is not installed" >&2; exit 77; }
cd "$(mktemp -d)" || exit 1
check_captures '' "$DATA"/*.data
if [ -n "$SHARED" ]; then
	check_captures shared/kvm/ "$SHARED"/captures/kvm/*.data
	check_captures shared/vmx/ "$SHARED"/captures/vmx/*.data
else
	skip shared "no ../shared with more captures"
fi
for trace in "$DATA"/*.trace; do
	verdict "$(basename "$trace")" "$(check_trace "$trace")"
done
