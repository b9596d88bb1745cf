# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Sourced: functions shared by the tests that compare cdict with perf.
#
# Environment: CDICT the program, DATA tests/data, MKPERF the tool, SHARED the shared captures or "",
# MADE a folder that the jobs of one tests/run share (unset: no sharing).
# A test prints `ok NAME`, `not ok NAME` followed by lines that begin with "#", or `skip NAME REASON`.
export LC_ALL=C # lines are bytes: a comm need not be text

pass() { echo "ok $1"; }
skip() { echo "skip $1 $2"; }
# fail NAME <FAULTS
fail() {
	echo "not ok $1"
	head -n 20 | sed 's/^/    # /' | cut -c1-400
}
# verdict NAME WRONG: nothing wrong is a pass
verdict() {
	if [ -z "$2" ]; then pass "$1"; else fail "$1" <<<"$2"; fi
}

# figure NAME N - adds it to the figures that `make standing` sums up for doc/testing.md
figure() { [ -z "${FIGURES-}" ] || echo "$1 $2" >>"$FIGURES"; }

. "$TOP/tests/tools/run/terminals.sh"

have_perf() { command -v perf >/dev/null 2>&1; }

# ---- inputs of the tests ----------------------------------------------------------------------------

# real_captures [all] - the files of all real captures: those in tests/data, then the others of
# ../shared/captures.  kvm-medium and kvm-libvirt-run2 are of kvm-libvirt's kind (the same host,
# events and guests, 8 s): only with `all`, and that is oracle/perf/script, which holds every event of
# them against perf's, and oracle/figures/numbers, perf's figures.  With $FEW (make mutants) one.
real_captures() {
	local file name found=
	for file in "$DATA"/*.data ${SHARED:+"$SHARED"/captures/kvm/*.data "$SHARED"/captures/vmx/*.data}; do
		name=$(basename "$file" .data)
		[ -r "$file" ] || continue
		[ -z "${FEW-}" ] || [ "$name" = kvm-small ] || continue
		case $name in
		kvm-medium | kvm-libvirt-run2) [ "${1-}" = all ] || continue ;;
		esac
		case " $found " in *" $name "*) continue ;; esac
		found+=" $name"
		echo "$file"
	done
}
# is_large FILE - of more events than a test of many runs over it can afford
is_large() { [ "$(stat -c %s "$1")" -gt 5000000 ]; }

# The forms of a synthetic capture.  perf 6.1 reads neither byte-swapped pipes (FEATURE records and
# samples stay unswapped) nor COMPRESSED2 nor a larger attr.  A killed recorder wrote no formats, as
# --no-tracing: nothing can be printed.
forms_of_perf='le be pipe zstd zstd-be zstd-pipe dir dir-be dir-zstd attr-old'
forms_beyond_perf='be-pipe zstd2 attr-new'
forms_without_formats='kill no-tracing'

# in_sample N OF - whether the N-th of many like cases runs: one of OF, by SAMPLE; with EVERY=1 each.
in_sample() { [ "${EVERY-}" = 1 ] || [ $((($1 + ${SAMPLE:-0}) % $2)) -eq 0 ]; }

# some_forms N OF FORM... - the plain one, and of the others one of OF, another one for each N; with EVERY=1 all.
some_forms() {
	local n=$1 of=$2 form
	for form in "${@:3}"; do
		[ "${EVERY-}" != 1 ] && [ $((n++ % of)) -ne 0 ] && [ "$form" != le ] || echo "$form"
	done
}

# make_form FORM TRACE OUT - builds it; prints faults
make_form() {
	local options=
	case $1 in
	le) ;;
	be) options=--big-endian ;;
	pipe) options=--pipe ;;
	be-pipe) options='--pipe --big-endian' ;;
	zstd) options=--zstd=37 ;;
	zstd2) options=--zstd2=37 ;;
	zstd-be) options='--zstd=301 --big-endian' ;;
	zstd-pipe) options='--zstd=5000 --pipe' ;;
	dir) options=--dir ;;
	dir-be) options='--dir --big-endian' ;;
	dir-zstd) options='--dir --zstd=61' ;;
	attr-old) options='--attr-size 112' ;;
	attr-new) options='--attr-size 144' ;;
	kill) options=--kill ;;
	no-tracing) options=--no-tracing ;;
	*) echo "unknown form $1"; return 1 ;;
	esac
	rm -rf "$3"
	# shellcheck disable=SC2086 # the options are words
	"$MKPERF" $options -o "$3" "$2" 2>mkperf.err || { cat mkperf.err; return 1; }
}

# libtraceevent does not swap what __print_array prints, {0x7,0x8} since 1.8; generic.trace has the correct output.
mask_arrays() { sed -E 's/=(\{[^}]*\}|[0-9][0-9 ]*) (addr|tail)=/= \2=/g' "$1"; }

# once KEY COMMAND... - prints the command's output, made by the first job of this run that asks for it.
# Nothing is kept of a command that fails or prints nothing.  Two that ask at once both run it.
once() {
	local key=$1 new
	shift
	if [ -z "${MADE-}" ]; then
		"$@"
	elif [ -s "$MADE/$key" ]; then
		cat "$MADE/$key"
	else
		new=$(mktemp "$MADE/.new.XXXXXX")
		"$@" >"$new"
		set -- $? "$new"
		cat "$2"
		if [ "$1" -eq 0 ] && [ -s "$2" ]; then mv "$2" "$MADE/$key"; else rm -f "$2"; fi
		return "$1"
	fi
}
# content_of FILE - a key by its contents, or by those of the files of the directory
content_of() {
	if [ -d "$1" ]; then
		echo "dir-$(cat "$1"/* | sha256sum | cut -c1-40)"
	else
		sha256sum <"$1" | cut -c1-40
	fi
}

# ---- output of perf and cdict -----------------------------------------------------------------------

# The lines of events whose name matches the regular expression $1; a line that does not begin
# like an event belongs to the one before it (a text field may hold line ends).
of_events() {
	awk -v want="^($1):" '
		/^ *-?[0-9]+ +\[[0-9]+\] +[0-9]+\.[0-9]+: +[^ ]+: / {
			name = $0
			sub(/^ *-?[0-9]+ +\[[0-9]+\] +[0-9]+\.[0-9]+: +/, "", name)
			keep = name ~ want
		}
		keep'
}

# How wide perf pads is not compared.
# A kernel's function perf calls by its name, of the kernel that runs; a cdict has its address.
squeeze() { sed -e 's/  */ /g' -e 's/^ //' -e 's/ $//' -e 's/\(sched_kthread_work_[a-z_]*:.* function[= ]\)[^ ]*/\1-/'; }

# perf_lines FILE [EVENTS] - perf's output for it, sched and kvm events or those named; perf's
# own words go to perf.err.  Without --hide-call-graph perf prints the call chains of a pipe
# although -F does not ask for them.  Small files are asked of perf once in a run of the tests.
perf_lines() { perf_prints_all "$1" | of_events "${2-(sched|kvm):.*}" | squeeze; }
perf_prints() { perf_script "$1" | of_events "$2" | squeeze; }
perf_prints_all() {
	: >perf.err
	if [ -f "$1" ] && is_large "$1"; then
		perf_script "$1"
	else
		once "perf-$(content_of "$1")" perf_script "$1"
	fi
}
perf_script() { perf script --guest-code --ns --hide-call-graph -F tid,cpu,time,event,trace -i "$1" 2>perf.err </dev/null; }

# cdict_lines FILE - cdict's output for a cdict, whatever was lost; its status is the result.
cdict_lines() {
	"$CDICT" script -G --max-loss 100 "$1" 2>script.err >script.out
	local status=$?
	squeeze <script.out
	return $status
}

# Lines of equal time CPU by CPU.  perf reads the files of a directory as readdir gives them.
merge_cpus() {
	sed -n 's/^\(.*\[\([0-9]*\)\] *\([0-9.]*\):.*\)$/\3 \2 \1/p' |
		sort -s -k1,1n -k2,2n | sed 's/^[0-9.]* [0-9]* //'
}

# differ WANT GOT - prints nothing, or the differences.
differ() {
	cmp -s "$1" "$2" && return
	echo "perf prints $(wc -l <"$1") lines, cdict $(wc -l <"$2")"
	diff "$1" "$2" | head -n 6
}

# convert_and_compare FILE [OPTIONS FOR convert...] - prints nothing, or the faults: `cdict convert`
# must end with status 0 and `cdict script` print perf's lines.  $compared, a regular expression,
# names other events; with $by_cpu lines of equal time may come in another order of the CPUs.
convert_and_compare() {
	local input=$1 status
	shift
	rm -f x.cdict
	rm -f x.cdict
	"$CDICT" convert -q -i "$input" -o x.cdict "$@" 2>convert.err </dev/null
	status=$?
	if [ $status -ne 0 ]; then
		echo "convert ends with $status:"
		cat convert.err
		[ -e x.cdict ] || return
	fi
	perf_lines "$input" ${compared:+"$compared"} >perf.lines
	cdict_lines x.cdict >cdict.lines || { echo "script ends with $?:"; cat script.err; }
	if [ ! -s perf.lines ]; then
		echo "perf prints nothing: $(tail -n 2 perf.err)"
		return
	fi
	if [ -n "${by_cpu:-}" ] && ! cmp -s perf.lines cdict.lines; then
		merge_cpus <perf.lines >perf.merged
		merge_cpus <cdict.lines >cdict.merged
		differ perf.merged cdict.merged
	else
		differ perf.lines cdict.lines
	fi
}
