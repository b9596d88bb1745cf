#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 600
# needs: python3
#
# Every command with -o, onto a capture of every kind: the command writes another file, and the capture stays unchanged,
# or becomes NAME.old of another capture. Commands and kinds come from the program's own lists: a new one without a line
# here fails.
set -u
. "$TOP/tests/oracle/_lib.sh"
cd "$(mktemp -d)" || exit 1
mkdir samples

# ---- the kinds: files samples/KIND.* -----------------------------------------------------------------

tools=$TOP/tests/tools
sample_cdict() {
	cp in.cdict samples/cdict.whole
	head -c 30000 in.cdict >samples/cdict.cut
}
sample_perf.data() {
	local form
	cp "$DATA/kvm-callchain.data" samples/perf.data.file
	cp "$DATA/kvm-pipe.data" samples/perf.data.pipe
	cp "$DATA/kvm-zstd.data" samples/perf.data.zstd
	head -c 5000 "$DATA/kvm-callchain.data" >samples/perf.data.cut
	for form in be be-pipe zstd2 attr-new kill; do
		make_form $form "$DATA/latency.trace" samples/perf.data.$form
	done
}
sample_trace.dat() {
	python3 "$tools/make/mktracedat.py" "$DATA/kvm-small.data" samples/trace.dat.7 &&
		python3 "$tools/make/mktracedat.py" --version 6 "$DATA/kvm-small.data" samples/trace.dat.6
}
sample_perfwhiz() {
	python3 "$tools/make/mkperfwhiz.py" "$DATA/perfwhiz.txt" samples/perfwhiz.made &&
		"$CDICT" export -q in.cdict --to perfwhiz -o samples/perfwhiz.exported
}
sample_pfw() {
	cp "$DATA/job.pfw" samples/pfw.plain
	gzip -c "$DATA/job.pfw" >samples/pfw.gz
	split -l 2 --filter='gzip -n' "$DATA/job.pfw" >samples/pfw.members
	gzip -c "$DATA/job.pfw" | head -c 300 >samples/pfw.cut
	{ printf ' \n[\n' && grep '^{' "$DATA/job.pfw"; } >samples/pfw.array
	{ echo 'no line of a trace' | sed 's/^/{"/' && cat "$DATA/job.pfw"; } >samples/pfw.broken
	"$CDICT" export -q in.cdict --to pfw -o samples/pfw.exported
	"$CDICT" export -q in.cdict --to chrome -o samples/pfw.chrome
}

# ---- the commands: into $1 ---------------------------------------------------------------------------

write_record() { "$CDICT" record -q -s 0.05 --no-names -o "$1"; }
write_top() {
	"$CDICT" top -q --seconds 2 --no-names -m 512K -o "$1" >out.txt &
	while kill -0 $! 2>/dev/null && [ ! -s out.txt ]; do sleep 0.02; done
	kill -USR2 $! 2>/dev/null
	wait $!
}
write_convert() { "$CDICT" convert -q -i "$DATA/kvm-libvirt-cgroups.data" -o "$1"; }
write_identify() { "$CDICT" identify -q --proc-root "$host" --libvirt off -o "$1"; }
write_annotate() { "$CDICT" annotate -q ../in.cdict --map "$DATA/kvm-small.map.csv" -o "$1"; }
write_join() { "$CDICT" join -q "$DATA/guest-pair/host.cdict" "=$DATA/guest-pair/instance-0000001c.cdict" -o "$1"; }
write_stats() { "$CDICT" stats -q ../in.cdict -o "$1"; }
write_heatmap() { "$CDICT" heatmap -q ../in.cdict -o "$1" --format-out svg; }
write_flame() { "$CDICT" flame -q ../in.stacks -o "$1" --format svg; }
write_export() { "$CDICT" export -q ../in.cdict -o "$1" --to "${to-perfetto}"; }
write_report() { "$CDICT" report -q ../in.cdict -o "$1"; }
write_query() { "$CDICT" query -q 'SELECT 1' ../in.cdict -o "$1"; }
write_diff() { "$CDICT" diff -q ../in.cdict ../in.cdict -o "$1" --format md; }
write_pull() { "$CDICT" pull -q --store ../store --job 2001 ${out_dir:+-o "$out_dir"}; }
write_sweep() { "$CDICT" sweep -q --plot ../in.json -o "$1"; }
# the command's word for its output
output_of() {
	case $1 in
	sweep) echo out.csv ;;
	pull) echo "$pulled" ;;
	*) echo out ;;
	esac
}
# into a capture of KIND this command writes another one
makes() { # COMMAND KIND
	case $1 in
	record | top | convert | annotate | join | pull) ;;
	export) [ "${to-}" = "$2" ] || [ "${to-}:$2" = chrome:pfw ] ;;
	*) false ;;
	esac
}

"$CDICT" convert -q -i "$DATA/kvm-small.data" -o in.cdict || exit 1
echo 'main;work 3' >in.stacks
"$CDICT" sweep -q -n 2 -L b 1,2 --metric v -o in.json -- echo '{"v": {b}}' >/dev/null || exit 1
host=$PWD/host
mkdir -p "$host/100/task/100"
printf '%s\0' qemu-system-x86_64 -name guest=one -uuid 11111111-0000-4000-8000-000000000001 >"$host/100/cmdline"
echo '100 (qemu-system-x86) S 1 0 0 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5000 0' | tee "$host/100/stat" >"$host/100/task/100/stat"
echo qemu-system-x86 | tee "$host/100/comm" >"$host/100/task/100/comm"
"$CDICT" job create -q --store store 2001 && "$CDICT" push -q --store store --job 2001 --host h --with-file in.cdict || exit 1
"$CDICT" pull -q --store store --job 2001 -o pulled && pulled=$(ls pulled) || exit 1

# samples_of_each_kind - one, another for each command and commit; with EVERY=1 all
turn=${SAMPLE:-0}
samples_of_each_kind() {
	local kind of
	for kind in $kinds; do
		of=(samples/"$kind".*)
		[ "${EVERY-}" = 1 ] || of=("${of[turn % ${#of[@]}]}")
		printf '%s\n' "${of[@]}"
	done
}
# over COMMAND - prints the faults, over a sample of each kind
over() {
	local command=$1 sample kind out status sum
	for sample in $(samples_of_each_kind); do
		kind=$(kind_of "$sample")
		rm -rf work && mkdir work && cd work || exit 1
		out=$(output_of "$command")
		cp "../$sample" "$out"
		sum=$(sha256sum <"$out")
		"write_$command" "$out" >out.txt 2>err.txt
		status=$?
		rm -f out.txt
		if makes "$command" "$kind"; then
			[ $status -eq 0 ] || echo "$sample: status $status: $(head -n 1 err.txt)"
			[ "$(sha256sum <"$out")" = "$sum" ] || [ "$(sha256sum 2>/dev/null <"$out.old")" = "$sum" ] ||
				echo "$sample: is lost"
		else
			[ $status -eq 1 ] || echo "$sample: status $status and not 1"
			[ "$(sha256sum <"$out")" = "$sum" ] || echo "$sample: is lost"
			[ "$(wc -l <err.txt)" -eq 1 ] && grep -q 'is a capture' err.txt || head -n 2 err.txt
			find . -mindepth 1 ! -name "$out" ! -name err.txt -printf "$sample: leaves %P\n"
		fi
		cd ..
	done
}

kinds="cdict $("$BUILD/tests/tools/check/capturekinds")"
kind_of() {
	local kind
	for kind in $kinds; do case ${1#samples/} in "$kind".*) echo "$kind" ;; esac; done
}
for kind in $kinds; do
	if declare -F "sample_$kind" >/dev/null; then
		"sample_$kind" 2>made.err || { fail "sample_$kind" <made.err; }
		ls samples/"$kind".* >/dev/null || fail "samples_of_$kind" <<<"no sample"
		# convert reads each, else it would not be a capture
		for sample in samples/"$kind".*; do
			[ "$kind" = cdict ] || "$CDICT" convert -q -i "$sample" -o may.cdict >/dev/null 2>&1
			case $? in 0 | 2) ;; *) fail "convert_$sample" <<<"not recognised" ;; esac
			rm -f may.cdict
		done
	else
		fail "kind_$kind" <<<"sample_$kind is missing in tests/faults/outputs/kinds.sh: a kind of cmd/input/source_kinds.c"
	fi
done

for command in $("$CDICT" help | awk '/^  [a-z]/ { print $1 }'); do
	"$CDICT" help "$command" | grep -q -- '-o, --output' || continue
	if ! declare -F "write_$command" >/dev/null; then
		fail "captures_$command" <<<"write_$command is missing in tests/faults/outputs/kinds.sh: a command that has -o"
		continue
	fi
	case $command in
	record | top)
		"$CDICT" record -q -s 0.01 --no-names -o may.cdict 2>may.err || {
			skip "captures_$command" "$(head -n 1 may.err)"
			continue
		} ;;
	query)
		"$CDICT" query -q 'SELECT 1' in.cdict >/dev/null 2>may.err || {
			skip "captures_$command" "$(head -n 1 may.err)"
			continue
		} ;;
	esac
	verdict "captures_$command" "$(over "$command" 2>&1)"
	turn=$((turn + 1))
done
for to in $("$CDICT" help export | tr -d '\n' | sed 's/.*--to FORMAT *//; s/; auto.*//; s/([^)]*)//g; s/,//g; s/ or / /'); do
	case $to in
	folded | sqlite) continue ;; # of stacks; as queries
	esac
	verdict "captures_export_$to" "$(over export 2>&1)"
	turn=$((turn + 1))
done
unset to

# The bare records of perf record --threads are a part of its output.
part() {
	rm -rf work && mkdir work && cd work || exit 1
	make_form dir "$DATA/latency.trace" run.data
	cp -a run.data was
	for file in run.data/*; do
		write_report "$file" 2>err.txt && echo "$file: status 0"
		grep -q 'is a capture' err.txt || head -n 2 err.txt
	done
	diff -r run.data was
	[ -e run.data/data.0 ] || echo "data.0 is missing"
}
verdict captures_part_of_a_folder "$(part 2>&1)"

# A file that only begins like a capture is replaced: other JSON, gzip, zlib.
others() {
	local command
	rm -rf work && mkdir work && cd work || exit 1
	"$CDICT" tasks -q ../in.cdict --format json >tables.json
	echo '{"a": 1}' >object.json
	echo '[]' >empty.json
	gzip -c "$DATA/kvm-small.map.csv" >table.csv.gz
	python3 -c 'import sys, zlib; sys.stdout.buffer.write(zlib.compress(b"blob 3\0abc"))' >object
	printf '\x1f\x8b\x08' >short.gz
	for file in *; do
		write_stats "$file" || echo "$file: status $?"
		grep -q events "$file" || echo "$file is not the new one"
	done
	ls | grep old
	# a file of its own, again and again
	for to in perfetto chrome pfw perfwhiz trace.dat csv; do
		for n in 1 2; do "$CDICT" export -q ../in.cdict --to $to -o x.$to || echo "$to, $n: status $?"; done
	done
	"$CDICT" export -q ../in.cdict --to perfetto -z -o x.gz && "$CDICT" export -q ../in.cdict --to perfetto -z -o x.gz || echo "gz: status $?"
	ls | grep old
}
verdict captures_others "$(others 2>&1)"

# ---- .old --------------------------------------------------------------------------------------------

# Whatever is converted again, the file of another recording stays as NAME.old.
again() {
	rm -rf work && mkdir work && cd work || exit 1
	cp "$DATA/kvm-callchain.data" run.data
	cp ../in.cdict run.cdict
	for options in '' '' '-e sched:*' '-j 1'; do
		# shellcheck disable=SC2086 # words
		"$CDICT" convert -i run.data $options 2>err.txt || echo "status $?"
		grep -qxF '[ cdict convert: wrote run.cdict ]' err.txt || head -n 1 err.txt
		cmp run.cdict.old ../in.cdict
	done
	[ "$("$CDICT" script run.cdict | wc -l)" -gt 5000 ] || echo "the last one is not there"
	# another recording pushes it away, as it always did
	cp run.cdict first.cdict
	cp "$DATA/kvm-libvirt-cgroups.data" run.data
	"$CDICT" convert -q -i run.data
	cmp run.cdict.old first.cdict
	# names that users assigned are not in any input
	"$CDICT" tasks -q run.cdict --format csv | awk -F, 'NR == 2 { print $2 ",Mine,vcpu0,,,7,Web" }' >map.csv
	"$CDICT" annotate -q run.cdict --map map.csv || echo "annotate: status $?"
	cp run.cdict named.cdict
	"$CDICT" convert -q -i run.data
	cmp run.cdict.old named.cdict
	# of a pipe nothing is left
	rm -f run.cdict*
	"$CDICT" convert -q -i - -o run.cdict <"$DATA/kvm-pipe.data"
	cp run.cdict named.cdict
	cat "$DATA/kvm-pipe.data" | "$CDICT" convert -q -i - -e 'sched:*' -o run.cdict
	cmp run.cdict.old named.cdict
	# with -o the name is known
	"$CDICT" convert -i run.data -o other.cdict 2>err.txt
	! grep wrote err.txt
}
verdict captures_converted_again "$(again 2>&1)"
