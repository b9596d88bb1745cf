#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# uninstrumented: perf loads the plugin
# timeout: 900
# needs: python3
#
# `perf script --dlfilter cdict-dlfilter.so` writes, byte for byte, the same cdict as `cdict convert`
# for the same recording, from a file and through a pipe; with stacks, it has them in addition.
set -u
. "$TOP/tests/oracle/_lib.sh"

plugin=$BUILD/cdict-dlfilter.so
perfpipe=$BUILD/tests/tools/make/perfpipe
dumpevents=$BUILD/tests/tools/check/dumpevents
dumpstacks=$BUILD/tests/tools/check/dumpstacks

# with_plugin OUT [OPTIONS OF perf script...] - perf's own words and ours go to perf.err.
with_plugin() {
	local out=$1
	shift
	rm -f "$out"
	perf script --dlfilter "$plugin" --dlarg "out=$out" ${events:+--dlarg "event=$events"} "$@" \
		>perf.out 2>perf.err
}

# event_blocks FILE - a line for each EVNT block: its header and payload, digested.
event_blocks() {
	python3 - "$1" <<'END'
import hashlib, struct, sys
data, at = open(sys.argv[1], "rb").read(), 16
while at + 24 <= len(data):
    sync, kind, size = struct.unpack_from("<I4sI", data, at)
    if sync != 0x1eb10cdc:
        break
    if kind == b"EVNT":
        print(at, hashlib.sha256(data[at:at + 24 + size]).hexdigest())
    at += 24 + size
END
}

# Nothing, or that p.cdict is not c.cdict, which convert made; where perf resolved stacks: that its
# blocks of events are others, or other things that are stored.
as_converted() {
	[ -e p.cdict ] || { echo "no cdict: $(tail -n 3 perf.err)"; return; }
	[ ! -s perf.out ] || echo "perf prints $(wc -l <perf.out) lines"
	cmp -s p.cdict c.cdict && return
	[ "$("$dumpstacks" p.cdict | wc -l)" -gt 0 ] || { cmp p.cdict c.cdict; return; }
	event_blocks p.cdict >p.blocks
	event_blocks c.cdict >c.blocks
	[ -s c.blocks ] && cmp p.blocks c.blocks
	"$dumpevents" -a p.cdict 2>p.err | grep -v '^# info "stacks\.kernel" ' >p.dump
	"$dumpevents" -a c.cdict >c.dump 2>c.err
	cmp -s p.dump c.dump || { echo "stored events differ:"; diff c.dump p.dump | head -n 6; }
	"$CDICT" info --verify p.cdict >info.out 2>info.err
	local status=$?
	[ $status -eq 0 ] || [ $status -eq 2 ] || { echo "info ends with $status"; cat info.err; }
	! grep -q 'block.*damaged' info.err || cat info.err
}

check_file() {
	rm -f c.cdict
	"$CDICT" convert -q ${events:+-e "$events"} -i "$1" -o c.cdict 2>convert.err </dev/null
	with_plugin p.cdict -i "$1" </dev/null
	as_converted
}

# check_pipe FILE - a recording in pipe mode, through a pipe.
check_pipe() {
	rm -f c.cdict
	cat "$1" | "$CDICT" convert -q ${events:+-e "$events"} -i - -o c.cdict 2>convert.err
	cat "$1" | with_plugin p.cdict -i -
	as_converted
}

check_captures() { # the files on stdin
	local capture name
	while IFS= read -r capture; do
		name=$(basename "$capture" .data)
		verdict "$name-file" "$(check_file "$capture")"
		if "$perfpipe" "$capture" >x.pipe 2>/dev/null; then
			verdict "$name-pipe" "$(check_pipe x.pipe)"
		elif [ "$(od -An -tu1 -j8 -N1 "$capture" | tr -d ' ')" = 16 ]; then
			verdict "$name-pipe" "$(check_pipe "$capture")"
		fi # else of another byte order: perf reads no such pipe
	done
}

# Forms of a synthetic recording that perf reads: each with every third one, because perf itself reads them.
n=0
check_trace() {
	local trace=$1 form wrong events='*:*'
	# shellcheck disable=SC2086 # they are words
	for form in $(some_forms $n 3 $forms_of_perf); do
		make_form "$form" "$trace" in.data || continue
		# Events that perf does not print are not handed out.
		[ -n "$(perf_lines in.data '[^:]*:.*' | head -n 1)" ] || continue
		case $form in
		*pipe) wrong=$(check_pipe in.data) ;;
		*) wrong=$(check_file in.data) ;;
		esac
		[ -z "$wrong" ] || echo "$form: $wrong"
	done
}

# Other people's recordings: where perf reads events, what convert makes; else perf and the plugin
# come to a clean end.
check_public() {
	rm -f c.cdict
	timeout 200 "$CDICT" convert -q --no-stacks -i "$1" -o c.cdict 2>convert.err </dev/null || :
	rm -f p.cdict
	timeout -k 5 200 perf script --dlfilter "$plugin" --dlarg out=p.cdict --dlarg stacks=0 -i "$1" \
		>perf.out 2>perf.err </dev/null
	local status=$? plain=0
	# perf 6.1 itself crashes on two of them.
	[ $status -lt 124 ] || timeout -k 5 200 perf script --guest-code -i "$1" >plain.out 2>plain.err </dev/null || plain=$?
	[ $status -lt 124 ] || [ $status -eq $plain ] || [ $plain$status = 255234 ] ||
		echo "perf ends with $status, alone with $plain"
	[ -z "$(ls -A | grep '^\.p\.cdict')" ] || [ $plain -ge 124 ] || echo "a temporary file is left"
	rm -f .p.cdict*
	perf_lines "$1" >perf.lines
	[ -s perf.lines ] || return 0
	cmp c.cdict p.cdict
}

# Events of one time that the recorder wrote from the highest CPU down, twice.
made_ties() {
	cat <<-'END'
		cpus 3
		order text
		proc 201 a
		proc 202 b
		proc 203 c
		203 [002] 120.000100: sched:sched_waking: pid=201 target_cpu=0
		202 [001] 120.000100: sched:sched_waking: pid=202 target_cpu=1
		201 [000] 120.000100: sched:sched_waking: pid=203 target_cpu=2
		203 [002] 120.000100: sched:sched_waking: pid=202 target_cpu=1
		201 [000] 120.000100: sched:sched_waking: pid=202 target_cpu=1
		203 [002] 120.000200: sched:sched_waking: pid=201 target_cpu=0
		201 [000] 120.000200: sched:sched_waking: pid=201 target_cpu=0
	END
}

# --- options

check_window() {
	local from to
	perf_lines "$1" >all.lines
	from=$(sed -n 100p all.lines | sed -E 's/^[^]]*\] ([0-9.]+):.*/\1/')
	to=$(sed -n 900p all.lines | sed -E 's/^[^]]*\] ([0-9.]+):.*/\1/')
	perf script --guest-code --ns --hide-call-graph -F tid,cpu,time,event,trace --time "$from,$to" \
		-C 0,1 -i "$1" 2>/dev/null </dev/null | of_events '(sched|kvm):.*' | squeeze >perf.lines
	with_plugin p.cdict --guest-code --time "$from,$to" -C 0,1 -i "$1" </dev/null
	cdict_lines p.cdict >p.lines
	[ "$(wc -l <perf.lines)" -gt 100 ] || echo "perf prints only $(wc -l <perf.lines) lines"
	differ perf.lines p.lines
}

# Filtered, and without --guest-code: perf drops events in guest mode, which is reported.
check_guest_mode_is_reported() {
	with_plugin p.cdict -C 0-3 -i "$1" </dev/null
	grep -Eq '^cdict-dlfilter: [0-9]+ host events that fired while a guest was entered are left out: perf script drops them without --guest-code$' perf.err ||
		cat perf.err
	perf script --ns --hide-call-graph -F tid,cpu,time,event,trace -i "$1" 2>/dev/null </dev/null |
		of_events '(sched|kvm):.*' | squeeze >perf.lines
	cdict_lines p.cdict >p.lines
	differ perf.lines p.lines
}

check_print() {
	perf script --ns -F tid,cpu,time,event,trace -i "$1" >plain.out 2>/dev/null </dev/null
	with_plugin p.cdict --dlarg print=1 --ns -F tid,cpu,time,event,trace -i "$1" </dev/null
	cmp -s plain.out perf.out || echo "perf prints otherwise with the plugin"
	"$CDICT" convert -q -i "$1" -o c.cdict
	: >perf.out
	as_converted
}

check_stdout() {
	perf script --dlfilter "$plugin" --dlarg out=- -i "$1" 2>perf.err </dev/null | cat >p.cdict
	with_plugin c.cdict -i "$1" </dev/null
	cmp p.cdict c.cdict
}

check_default_name() {
	mkdir -p named && cp "$1" named/run.data
	(cd named && perf script --dlfilter "$plugin" -i run.data 2>../perf.err >../perf.out </dev/null)
	[ "$(ls named)" = "$(printf '%s\n' run.cdict run.data)" ] || ls -A named
	rm -rf named
}

check_same_bytes() {
	with_plugin p.cdict -i "$1" </dev/null
	with_plugin c.cdict -i "$1" </dev/null
	cmp p.cdict c.cdict
}

check_map() {
	printf 'tid,libvirt-instance,role,uuid,group-type,group-id,task-name\n%s,i-1,vcpu0,,,5,Firewall\n' \
		"$2" >map.csv
	with_plugin p.cdict --dlarg map=map.csv -i "$1" </dev/null
	"$CDICT" info --labels p.cdict 2>&1 | grep -q 'Firewall.05.vcpu0' ||
		{ echo "no such name:"; "$CDICT" info --labels p.cdict 2>&1 | head -n 5; cat perf.err; }
}

# --- failures

# fails WORDS COMMAND... - perf prints these words in one line of ours, ends with a failure and leaves
# no files.  Its standard input is ours.
fails() {
	local words=$1 status
	shift
	rm -rf empty && mkdir empty && cd empty || return
	perf script --dlfilter "$plugin" "$@" >../perf.out 2>../perf.err
	status=$?
	[ $status -ne 0 ] || echo "status 0"
	[ -z "$(ls -A)" ] || ls -A
	cd ..
	grep -qF -e "$words" perf.err || cat perf.err
	[ "$(grep -c '^cdict-dlfilter: ' perf.err)" -eq 1 ] || { echo "not one line:"; cat perf.err; }
}

# Printed once, and perf goes on: it takes no failure at the end.
check_full_disk() {
	perf script --dlfilter "$plugin" --dlarg out=/dev/full -i "$1" >perf.out 2>perf.err </dev/null
	grep -q '^cdict-dlfilter: /dev/full: not written: No space left on device$' perf.err || cat perf.err
	[ "$(grep -c '^cdict-dlfilter: ' perf.err)" -eq 1 ] || { echo "not one line:"; cat perf.err; }
}

# A reader that closes: reported once, and perf continues to its end.
check_broken_pipe() {
	rm -f out.fifo && mkfifo out.fifo
	head -c 100 out.fifo >/dev/null &
	perf script --dlfilter "$plugin" --dlarg out=out.fifo --dlarg print=1 -F event -i "$1" \
		>perf.out 2>perf.err </dev/null
	local status=$?
	wait $!
	[ $status -eq 0 ] || echo "perf ends with $status"
	[ "$(wc -l <perf.out)" -gt 10000 ] || echo "perf prints $(wc -l <perf.out) lines"
	grep -q '^cdict-dlfilter: out.fifo: not written: Broken pipe$' perf.err || cat perf.err
	[ "$(grep -c '^cdict-dlfilter: ' perf.err)" -eq 1 ] || { echo "not one line:"; cat perf.err; }
}

can_record() { perf record -q -a -e sched:sched_switch -o can.data -- true >/dev/null 2>&1; }

check_listed() {
	mkdir -p exec/dlfilters && cp "$plugin" exec/dlfilters/
	PERF_EXEC_PATH=$PWD/exec perf script --list-dlfilters 2>&1 >list.out
	grep -q '^  cdict-dlfilter.so  *Store scheduler and KVM events as a cdict$' list.out || cat list.out
	PERF_EXEC_PATH=$PWD/exec perf script -v --list-dlfilters 2>&1 | grep -q 'dlarg out=FILE' ||
		echo "no long description"
	PERF_EXEC_PATH=$PWD/exec perf script --dlfilter cdict-dlfilter.so --dlarg out=p.cdict -i "$1" \
		>perf.out 2>perf.err </dev/null
	[ -s p.cdict ] || cat perf.err
}

check_installed_link() {
	make -n -C "$TOP" B="$BUILD" install-built prefix=/usr DESTDIR=/nowhere 2>/dev/null |
		grep -q "ln -sf '/usr/lib/cdict/cdict-dlfilter.so' '/nowhere$(perf --exec-path)/dlfilters'" ||
		echo "make install makes no link where perf looks"
}

check_exports() {
	[ "$(nm -D --defined-only "$plugin" | awk '{ print $3 }' | sort | xargs)" = \
		'filter_description filter_event filter_event_early perf_dlfilter_fns start stop' ] ||
		nm -D --defined-only "$plugin"
	readelf -d "$plugin" | grep -E 'NEEDED.*(cairo|curl|traceevent|pcre|jansson)'
}

# SIGTERM in the middle leaves no file, unfinished or other.
check_sigterm() {
	mkdir -p killed
	{ head -c 200000 "$1"; sleep 20; } |
		perf script --dlfilter "$plugin" --dlarg out=killed/x.cdict -i - >perf.out 2>perf.err &
	local pid=$! n=0
	# it writes into a file that has no name
	until readlink /proc/$pid/fd/* 2>/dev/null | grep -q "^$PWD/killed/.*deleted" || [ $((n += 1)) -gt 100 ]; do sleep 0.1; done
	[ $n -le 100 ] || echo "no file without a name was seen"
	kill -TERM $pid
	wait $pid 2>/dev/null
	[ -z "$(ls -A killed)" ] || ls -A killed
}

# --- stacks

# perf's chains: one frame a line, without the address.
perf_stacks() { # FILE [OPTIONS]
	local file=$1
	shift
	perf script --guest-code --no-inline --ns -F cpu,time,ip,sym,symoff,dso "$@" -i "$file" 2>/dev/null |
		sed -e 's/^[ \t]*\([0-9a-f]* \)\(.* (.*)\)$/\2/' -e 's/^ *//' -e 's/: *$/:/' \
			-e 's/ *(\([^()]*\))$/ (\1)/' -e 's/^\(\[[0-9]*\]\) */\1 /'
}

stacks_differ() {
	[ "$(wc -l <ours.txt)" -gt 1000 ] || echo "only $(wc -l <ours.txt) lines"
	# perf prints nothing for a chain that ends in an invalid stack; its beginning is valid.
	awk -v RS= -F'\n' 'NR == FNR { if (NF == 1) bare[$1]; next } $1 in bare { $0 = $1 } { print $0 "\n" }' \
		theirs.txt ours.txt >ours.like
	cmp -s ours.like theirs.txt || diff theirs.txt ours.like | head -n 10
	[ "$(grep -c . ours.txt)" -ge "$(grep -c . theirs.txt)" ] || echo "frames are missing"
}

# check_stacks FILE [symbols] - with symbols: convert finds those that perf finds
check_stacks() {
	with_plugin p.cdict -i "$1" </dev/null
	"$dumpstacks" p.cdict >ours.txt || echo "dumpstacks ends with $?"
	perf_stacks "$1" >theirs.txt
	stacks_differ
	with_plugin c.cdict --dlarg stacks=0 -i "$1" </dev/null
	[ -z "$("$dumpstacks" c.cdict)" ] || echo "stacks=0 has stacks"
	cp p.cdict stacks.cdict
	"$CDICT" convert -q --no-stacks -i "$1" -o p.cdict </dev/null
	cmp p.cdict c.cdict || echo "stacks=0 is not what convert makes"
	"$CDICT" convert -q -i "$1" -o c.cdict </dev/null
	# perf 6.1 does not name the entries of functions that are chosen when a program starts
	"$dumpstacks" c.cdict | sed 's/^\*ABS\*+0x[0-9a-f]*@plt/@plt/' >converted.txt
	[ -z "${2-}" ] || cmp -s ours.txt converted.txt || diff ours.txt converted.txt | head -n 10
	mv stacks.cdict p.cdict
	as_converted
}

# The reader that was written from cdict(5) alone finds nothing wrong with the stacks.
check_second_reader() {
	"$dumpevents" -a p.cdict >first
	python3 "$TOP/tests/tools/check/secondread.py" -a p.cdict >second 2>second.err || cat second.err
	differ first second
}

# Recorded here, with this kernel's own symbols.
# Not of the whole machine: perf demangles a C++ function of others once with, once without its arguments.
check_live_stacks() {
	perf record -q -m 16M -g -e 'sched:sched_switch' -e 'sched:sched_waking' -o live.data -- \
		perf bench sched messaging -g 1 -l 20 >live.out 2>&1 || { cat live.out; return; }
	check_stacks live.data symbols
}

# perf record and the plugin at once, through a pipe.
check_live() {
	perf record -q -m 16M -a -e 'sched:*' -o - -- perf bench sched messaging -g 2 -l 50 2>/dev/null |
		tee live.pipe | with_plugin p.cdict -i -
	cat live.pipe | "$CDICT" convert -q -i - -o c.cdict 2>convert.err
	[ "$("$CDICT" script c.cdict | wc -l)" -gt 1000 ] || echo "few events"
	as_converted
}

# A filter of perf's and stacks at once, through a pipe.
check_live_part() {
	local only='--comms sched-messaging'
	perf record -q -m 16M -g -a -e sched:sched_switch -o - -- \
		perf bench sched messaging -g 2 -l 50 2>/dev/null |
		tee live.pipe | with_plugin p.cdict --guest-code $only -i -
	perf script --guest-code --ns --hide-call-graph -F tid,cpu,time,event,trace $only -i live.pipe \
		2>/dev/null </dev/null | squeeze >perf.lines
	cdict_lines p.cdict >p.lines
	[ "$(wc -l <perf.lines)" -gt 100 ] || echo "only $(wc -l <perf.lines) events"
	differ perf.lines p.lines
	"$dumpstacks" p.cdict >ours.txt
	perf_stacks live.pipe $only >theirs.txt
	stacks_differ
}

have_perf || { echo "perf is not installed" >&2; exit 77; }
[ -e "$plugin" ] || { echo "not ok plugin_is_built"; exit 1; }
if nm -D "$plugin" | grep -q __asan_; then
	echo "perf cannot load a filter that was built with a sanitizer" >&2
	exit 77
fi
cd "$(mktemp -d)" || exit 1
small=$DATA/kvm-small.data
check_captures < <(real_captures)
if [ -n "$SHARED" ]; then
	while read -r file; do
		verdict "public/${file##*/}" "$(check_public "$file")"
	done < <(find "$SHARED/captures/public" -type f ! -name '*.pfw*' | sort)
else
	skip shared "no ../shared with more captures"
fi
for trace in "$DATA"/*.trace; do
	verdict "$(basename "$trace")" "$(check_trace "$trace")"
	n=$((n + 1))
done
ln -s "$DATA/formats" formats
made_ties >ties-down.trace
verdict ties-down.trace "$(check_trace ties-down.trace)"
verdict perf_s_filters_hold "$(check_window "$small")"
verdict guest_mode_that_perf_drops_is_reported "$(check_guest_mode_is_reported "$small")"
verdict print_lets_events_through "$(check_print "$small")"
verdict into_a_pipe "$(check_stdout "$small")"
verdict named_after_the_input "$(check_default_name "$small")"
verdict same_bytes_each_time "$(check_same_bytes "$small")"
verdict names_from_a_mapping_file "$(check_map "$small" 1065)"
verdict exports_only_the_filter_s_functions "$(check_exports)"
verdict perf_lists_it "$(check_listed "$small")"
verdict make_install_links_it "$(check_installed_link)"
verdict unknown_option "$(fails 'unknown --dlarg colour=red' --dlarg colour=red -i "$small")"
verdict invalid_flag_value "$(fails 'print=maybe: expected 0 or 1' --dlarg print=maybe -i "$small")"
verdict output_nowhere "$(fails 'no/where/x.cdict: cannot be written' --dlarg out=no/where/x.cdict -i "$small")"
verdict mapping_file_missing "$(fails 'no.csv' --dlarg out=x.cdict --dlarg map=no.csv -i "$small")"
verdict pipe_without_a_name "$(fails "name the output" -i - <"$DATA/kvm-pipe.data")"
verdict full_disk "$(check_full_disk "$small")"
verdict broken_pipe_does_not_stop_perf "$(check_broken_pipe "$small")"
verdict sigterm_leaves_nothing "$(check_sigterm "$DATA/kvm-pipe.data")"
verdict stacks_are_perf_s "$(check_stacks "$DATA/kvm-callchain.data")"
verdict second_reader_reads_stacks "$(check_second_reader)"
if can_record; then
	verdict live_stacks_are_perf_s "$(check_live_stacks)"
	verdict live_pipe "$(check_live)"
	verdict live_part_with_stacks "$(check_live_part)"
else
	skip live "perf may not record here"
fi
