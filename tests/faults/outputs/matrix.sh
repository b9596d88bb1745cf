#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 600
#
# No user data is lost: every command that writes, onto its input, another capture, a map, links of each kind, a
# directory and a full disk. All previous files exist afterwards, under their name or as NAME.old, and no others
# do.
set -u
. "$TOP/tests/oracle/_lib.sh"
cd "$(mktemp -d)" || exit 1

mkdir given
"$CDICT" convert -q -i "$DATA/kvm-callchain.data" -o given/in.cdict || exit 1
"$CDICT" convert -q -i "$DATA/kvm-small.data" -o given/other.cdict || exit 1
cp "$DATA/kvm-callchain.data" given/in.data
echo "main;work 3" >given/in.stacks
"$CDICT" sweep -q -n 2 -L b 1,2 --metric v -o s.json -- echo '{"v": {b}}' >/dev/null && mv s.json given/in.json || exit 1
rm -f s.*
cp "$DATA/kvm-pipe.data" given/other.data
echo "1002,Mine,vcpu0,,,7,Web" >given/map.csv
echo "a text of the user" >given/text
mkdir given/dir given/dir.csv
(cd given && sha256sum in.* other.* map.csv text) >sums
# a host with one VM, and one with none
host=$PWD/host none=$PWD/none
mkdir -p "$host/100/task/100" none
printf '%s\0' qemu-system-x86_64 -name guest=one -uuid 11111111-0000-4000-8000-000000000001 >"$host/100/cmdline"
echo '100 (qemu-system-x86) S 1 0 0 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5000 0' | tee "$host/100/stat" >"$host/100/task/100/stat"
echo qemu-system-x86 | tee "$host/100/comm" >"$host/100/task/100/comm"

# ---- the commands: into $1 --------------------------------------------------------------------------

convert() { "$CDICT" convert -q -i in.data --map map.csv -o "$1"; }
annotate() { "$CDICT" annotate -q in.cdict --map map.csv -o "$1"; }
anonymize() { "$CDICT" annotate -q in.cdict --map map.csv --anonymize -o "$1"; }
stats() { "$CDICT" stats -q in.cdict --map map.csv -o "$1"; }
report() { "$CDICT" report -q in.cdict --map map.csv -o "$1"; }
heatmap() { "$CDICT" heatmap -q in.cdict --map map.csv -o "$1" --format-out svg; }
heatmap_page() { "$CDICT" heatmap -q in.cdict --map map.csv -o "$1" --format-out html; }
flame() { "$CDICT" flame -q in.stacks --map map.csv -o "$1" --format svg; }
exported() { "$CDICT" export -q in.cdict --map map.csv -o "$1" --to "${2-perfetto}"; }
exported_chrome() { exported "$1" chrome; }
exported_pfw() { exported "$1" pfw; }
exported_csv() { exported "$1" csv; }
exported_perfwhiz() { exported "$1" perfwhiz; }
exported_tracedat() { exported "$1" trace.dat; }
exported_sqlite() { exported "$1" sqlite; }
exported_gzip() { "$CDICT" export -q in.cdict --map map.csv -o "$1" --to pfw -z; }
# a picture of figures that were made before
swept() { "$CDICT" sweep -q --plot in.json -o "$1" >/dev/null; }
comparison() { "$CDICT" diff -q in.cdict in.cdict --map map.csv -o "$1" --format md; }
identify() { "$CDICT" identify -q --proc-root "$host" --libvirt off -o "$1"; }
record() { "$CDICT" record -q -s 0.05 --no-names --map map.csv -o "$1"; }
# more rows than fit on a disk of 4 KB
queried() { "$CDICT" query -q 'SELECT * FROM ftrace_event' in.cdict --map map.csv -o "$1" --format "${2-text}"; }
queried_csv() { queried "$1" csv; }
queried_json() { queried "$1" json; }
# what SIGUSR2 writes, as key s does
top() {
	"$CDICT" top -q --seconds 2 --no-names --map map.csv -m 512K -o "$1" &
	while kill -0 $! 2>/dev/null && [ ! -s out.txt ]; do sleep 0.02; done
	kill -USR2 $! 2>/dev/null
	wait $!
}
flight() { "$CDICT" record -q -s 0.05 --keep 1s --no-names --map map.csv -o "$1"; }
plugin() {
	perf script --dlfilter "$BUILD/cdict-dlfilter.so" --dlarg "out=$1" --dlarg map=map.csv --dlarg quiet=1 -i in.data
}

makes_captures() { case $1 in convert | annotate | anonymize | record | flight | top | plugin) ;; *) false ;; esac; }
# its input
input_of() {
	case $1 in
	convert | plugin) echo in.data ;;
	record | flight | top) echo map.csv ;;
	flame) echo in.stacks ;;
	swept) echo in.json ;;
	identify) ;;
	*) echo in.cdict ;;
	esac
}

# ---- invariants -------------------------------------------------------------------------------------

# lost_files - prints the given files that are complete neither under their name nor as NAME.old
lost_files() {
	sha256sum -- * 2>/dev/null | awk -v except="${1-}" '
		now { has[$2] = $1; next }
		$2 != except && has[$2] != $1 && has[$2 ".old"] != $1 { print $2 " is lost" }' now=1 - now= ../sums
}
leftovers() { find . -name '.?*' -printf '%P is left over\n'; }
# kept NAME - it is unchanged
kept() { grep -q "^$(sha256sum <"$1" | cut -d' ' -f1)  $1\$" ../sums || echo "$1 was changed"; }

# try COMMAND CASE OUTPUT STATUS - in a folder of its own; prints the faults
try() {
	local command=$1 case=$2 out=$3 want=$4 status
	rm -rf work
	cp -a given work
	cd work || exit 1
	[ "$case" != link ] || ln -s other.cdict "$out"
	[ "$case" != hard_link ] || ln other.cdict "$out"
	[ "$case" != link_to_input ] || ln -s "$(input_of "$command")" "$out"
	[ "$case" != hard_link_of_input ] || ln "$(input_of "$command")" "$out"
	[ "$case" != dangling_link ] || ln -s made "$out"
	[ "$case" != input_is_old ] || { mv in.cdict out.old && ln out.old in.cdict && echo old >out; }
	"$command" "$out" >out.txt 2>err.txt
	status=$?
	# perf's status is not the filter's
	[ "$command" != plugin ] || status=$want
	rm -f out.txt
	{
		[ $status -eq "$want" ] || echo "status $status and not $want: $(head -n 1 err.txt)"
		[ "$want" -eq 0 ] || [ -s err.txt ] || echo "it says nothing"
		! grep -qi sanitizer err.txt || head -n 3 err.txt
		lost_files "$([ "$case" = text ] && ! makes_captures "$command" && echo text)"
		leftovers
		[ "$case" != dangling_link ] || [ -s made ] || echo "the link's target is not made"
		[ "$case" != dangling_link ] || [ -L "$out" ] || echo "the link is gone"
		# a refusal changes nothing at all
		if [ "$want" -ne 0 ] && [ "$case" != input_is_old ]; then
			rm -f err.txt
			diff -rq --no-dereference . ../given 2>/dev/null | grep -v 'Only in .: out\(.csv\)\?$'
		fi
	} | sed "s/^/$command, $case: /"
	cd ..
}

matrix() {
	local command=$1 input ok=129 capture=1 e=
	input=$(input_of "$command")
	makes_captures "$command" && capture=0
	# the name selects the format: names without an extension do not work
	[ "$command" != swept ] || e=.csv
	[ -z "$input" ] || {
		try "$command" input "$input" $ok
		try "$command" link_to_input out$e $ok
		try "$command" hard_link_of_input out$e $ok
	}
	try "$command" link out$e $capture
	try "$command" hard_link out$e $capture
	try "$command" dangling_link out$e 0
	try "$command" new new$e 0
	try "$command" directory dir$e 1
	[ "$command" != swept ] || return 0
	[ "$command" = identify ] || try "$command" map map.csv $ok
	try "$command" other_capture other.cdict $capture
	try "$command" other_recording other.data $capture
	try "$command" text text 0
	case $command in annotate | anonymize) try "$command" input_is_old out 129 ;; esac
}

# full COMMAND - a disk of 4 kB, on which an older file is
full() {
	local was
	rm -rf work && cp -a given work && cd work || exit 1
	mkdir disk
	mount -t tmpfs -o size=4k tmpfs disk 2>/dev/null || { cd ..; return; }
	echo before >disk/x
	full=disk/x
	[ "$1" != swept ] || { full=disk/x.csv && mv disk/x disk/x.csv; }
	"$1" $full >out.txt 2>err.txt && [ "$1" != plugin ] && echo "$1: status 0 on a full disk"
	figure enospc 1
	[ -s err.txt ] || echo "$1: says nothing of the full disk"
	# a recording is shown as soon as it begins: the previous file is its .old
	was=$(cat disk/x.old 2>/dev/null || cat $full)
	[ "$was" = before ] || echo "$1: a full disk took the older file"
	find disk -mindepth 1 ! -name x ! -name x.csv ! -name x.old -printf "$1: %P stays on the full disk\n"
	umount disk
	cd ..
}

commands='convert annotate anonymize stats report heatmap heatmap_page flame exported exported_chrome exported_pfw exported_csv
	exported_perfwhiz exported_tracedat exported_gzip comparison identify swept'
if "$CDICT" query -q 'SELECT 1' "$DATA/kvm-small.data" >/dev/null 2>may.err; then
	commands+=' queried queried_csv queried_json exported_sqlite'
else
	skip outputs_queried "$(head -n 1 may.err)"
fi
if have_perf && [[ ${INSTRUMENT-} != @(asan|tsan) ]]; then
	commands+=' plugin'
else
	skip outputs_plugin "perf is not installed, or cannot load a sanitizer"
fi
if "$CDICT" record -q -s 0.01 --no-names -o may.cdict 2>may.err; then
	commands+=' record flight top'
else
	skip outputs_record "$(head -n 1 may.err)"
fi
for command in $commands; do
	verdict "outputs_$command" "$(matrix "$command" 2>&1)"
done
for command in $commands; do
	if [ "$(id -u)" -ne 0 ] || ! (mkdir -p m && mount -t tmpfs -o size=4k tmpfs m && umount m) 2>/dev/null; then
		skip "full_disk_$command" "no file system can be mounted here"
	else
		verdict "full_disk_$command" "$(full "$command" 2>&1)"
	fi
done

# ---- rights -----------------------------------------------------------------------------------------

# Captures contain command lines: only their owner can read them, whatever the umask. Other files follow it.
rights() {
	rm -rf work && cp -a given work && cd work || exit 1
	umask 022
	for command in convert annotate ${1-}; do
		"$command" "new.$command" 2>&1
		[ "$(stat -c %a "new.$command")" = 600 ] || echo "$command: mode $(stat -c %a "new.$command")"
	done
	stats new.txt
	[ "$(stat -c %a new.txt)" = 644 ] || echo "stats: mode $(stat -c %a new.txt)"
	# in place a file stays as it was to everybody
	chmod 640 in.cdict
	"$CDICT" annotate -q in.cdict --map map.csv
	[ "$(stat -c %a in.cdict)" = 640 ] || echo "in place: mode $(stat -c %a in.cdict)"
	[ "$(id -u)" -eq 0 ] || return
	chown 65534:65533 in.cdict
	"$CDICT" annotate -q in.cdict --clear
	[ "$(stat -c %u:%g in.cdict)" = 65534:65533 ] || echo "in place: owner $(stat -c %u:%g in.cdict)"
	export SUDO_UID=65534 SUDO_GID=65533
	for command in convert annotate stats ${1-}; do
		"$command" "sudo.$command" 2>&1
		[ "$(stat -c %u:%g "sudo.$command")" = 65534:65533 ] || echo "$command: owner $(stat -c %u:%g "sudo.$command") under sudo"
	done
}
case $commands in *record*) also=record ;; *) also= ;; esac
verdict outputs_rights "$(rights $also 2>&1)"

# In a folder where others may write, another user's link to a file or a folder is not followed.
strangers() {
	rm -rf work && cp -a given work && cd work || exit 1
	echo before >precious
	for mode in 777 1777; do
		rm -rf open && mkdir open && ln -s ../precious open/x && ln -s .. open/folder
		chown -h 65534 open/x open/folder
		chmod $mode open
		for command in $commands; do
			[ "$command" != swept ] || continue
			"$command" open/x >/dev/null 2>err.txt && [ "$command" != plugin ] && echo "$command: status 0"
			grep -q "another user's" err.txt || echo "$command: $(head -n 1 err.txt)"
			"$command" open/folder/new >/dev/null 2>&1
			[ ! -e new ] || echo "$command: through a stranger's folder"
		done
	done
	[ "$(cat precious)" = before ] || echo "the target of a stranger's link is lost"
}
if [ "$(id -u)" -eq 0 ]; then
	verdict outputs_strangers_links "$(strangers 2>&1)"
else
	skip outputs_strangers_links "only root can lay a link of another user"
fi

# ---- nothing in place of something; two at once; leftovers ------------------------------------------

nothing() {
	rm -rf work && cp -a given work && cd work || exit 1
	"$CDICT" convert -q -e 'no:*' -i in.data -o other.cdict 2>err.txt && echo "convert: status 0"
	grep -q 'is empty' err.txt || head -n 1 err.txt
	kept other.cdict
	"$CDICT" identify -q --proc-root "$none" --libvirt off -o map.csv 2>err.txt && echo "identify: status 0"
	grep -q 'is empty' err.txt || head -n 1 err.txt
	kept map.csv
	ls | grep old
}
verdict outputs_nothing_replaces_nothing "$(nothing 2>&1)"

# The second of two recorders on one name fails with a message; a growing file can be read, but no command replaces it.
two() {
	rm -rf work && cp -a given work && cd work || exit 1
	"$CDICT" record -q --no-names -o two.cdict 2>one.txt &
	local pid=$!
	for ((i = 0; i < 200; i++)); do [ -e two.cdict ] && break; sleep 0.05; done
	record two.cdict 2>err.txt && echo "the second recorder: status 0"
	grep -q 'being written' err.txt || head -n 1 err.txt
	"$CDICT" annotate -q two.cdict --clear 2>err.txt
	grep -q 'being written' err.txt || echo "annotate: $(head -n 1 err.txt)"
	kill -INT $pid
	wait $pid
	cat one.txt
	[ -e two.cdict.old ] && echo "there is an .old"
	"$CDICT" info -q --verify two.cdict | grep -q whole || echo "the first one's file is not whole"
}
# Files of an earlier flight recorder do not count as dumps of the new one.
leftover_dumps() {
	rm -rf work && mkdir work && cd work || exit 1
	cp ../given/in.cdict x.2.cdict
	cp ../given/other.cdict x.3.cdict
	cp ../given/text x.y.cdict
	cp ../given/map.csv .
	flight x.cdict
	[ "$(echo x*)" = "x.2.cdict.old x.3.cdict.old x.cdict x.y.cdict" ] || echo "there is: $(echo x*)"
	cmp ../given/other.cdict x.3.cdict.old
}
case $commands in
*record*)
	verdict outputs_two_recorders "$(two 2>&1)"
	verdict outputs_leftover_dumps "$(leftover_dumps 2>&1)"
	;;
esac
