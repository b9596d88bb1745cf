#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 600
#
# Failing calls and SIGKILL in recordings and in perf, whose files always differ; SIGKILL at any moment; a reader during a
# write; vanishing folders; pipes without a reader. The final name has the old file, or a complete new one with the old one
# as its .old.
set -u
. "$TOP/tests/oracle/_lib.sh"
cd "$(mktemp -d)" || exit 1
NOWRITE=$BUILD/tests/tools/run/preload/nowrite.so

"$CDICT" convert -q -i "$DATA/kvm-callchain.data" -o in.cdict || exit 1
"$CDICT" convert -q -i "$DATA/kvm-small.data" -o older.cdict || exit 1
cp "$DATA/kvm-callchain.data" in.data
echo "a text" >older.txt
echo "1002,Mine,vcpu0,,,7,Web" >map.csv

fresh() {
	rm -rf work && mkdir work
	cp older.cdict work/x.cdict
	cp older.txt work/x.txt
}

# sound HOW STATUS - of work/x.cdict, a capture that was written over
sound() {
	if ! cmp -s work/x.cdict older.cdict; then
		"$CDICT" info -q --verify work/x.cdict >info.txt 2>&1 ||
			{ case $2 in 2 | 137) grep -qE 'is truncated|are left' info.txt ;; *) false ;; esac; } || echo "$1: $(tail -n 1 info.txt)"
		cmp -s work/x.cdict.old older.cdict || echo "$1: the older file is lost"
	fi
	[ "$2" -eq 137 ] || find work -name '.?*' -printf "$1: %P stays\n"
}

# calls NAME COMMAND... - each call that changes files fails, or is short; of the four ways two for each call (EVERY=1: all)
preload=LD_PRELOAD
calls() {
	local name=$1 all n way step status
	shift
	fresh
	(cd work && env "$preload=$NOWRITE" NOWRITE_LOG=9 "$@" 9>../count >../out 2>../err </dev/null) || { cat err; return; }
	all=$(tail -n 1 count)
	[ "$all" -ge 3 ] || echo "only $all calls were seen"
	step=$((all / 12 + 1))
	for ((n = 1; n <= all; n += n < 12 || n > all - 6 ? 1 : step)); do
		way=$n
		for how in HOW=28 HOW=5 HOW=0 KILL=1; do
			in_sample $((way += 1)) 2 || continue
			fresh
			(cd work && exec env "$preload=$NOWRITE" NOWRITE_AT=$n "NOWRITE_$how" "$@" >../out 2>../err </dev/null)
			status=$?
			case $how in HOW=28) figure enospc 1 ;; KILL=1) figure kills 1 ;; esac
			sound "call $n, $how" $status
			# A recording keeps its data, and reports it. Some calls are perf's own, so any status is possible.
			case $status:$name in
			0:* | 1:* | 137:* | *:plugin) ;;
			2:record) grep -q 'the part written so far is kept' err || echo "call $n, $how: $(head -n 1 err)" ;;
			2:top) grep -qE '[0-9]+ saves? failed' err || echo "call $n, $how: $(head -n 1 err)" ;;
			*) echo "call $n, $how: status $status: $(head -n 1 err)" ;;
			esac
			# short writes are continued
			[ "$how" != HOW=0 ] || [ $status -eq 0 ] || [ "$name" = plugin ] || echo "call $n, short: status $status: $(head -n 1 err)"
			[ "$name:$status" != top:0 ] || ! cmp -s work/x.cdict older.cdict || echo "call $n, $how: status 0 and nothing is saved"
			[ $status -ne 1 ] || [ -s err ] || echo "call $n, $how: status 1 and no word"
		done
	done 2>/dev/null
}
if [ ! -e "$NOWRITE" ] || [[ ${INSTRUMENT-} == @(asan|valgrind) ]]; then
	skip killed_calls "nowrite: the sanitizers come before it"
else
	if "$CDICT" record -q -s 0.01 --no-names -o may.cdict 2>may.err; then
		verdict failing_record "$(calls record "$CDICT" record -q --max-loss 100 -s 0.02 --no-names -o x.cdict 2>&1)"
		# saving with key s and with SIGUSR2; without the shell's own calls
		cat >top.sh <<-'S'
			LD_PRELOAD=$TOP_PRELOAD "$CDICT" top -q --seconds 60 --no-names -m 512K -o x.cdict &
			until grep -q sigtimedwait /proc/$!/wchan || ! kill -0 $!; do sleep 0.02; done 2>/dev/null
			sleep 0.2 # of events
			kill -USR2 $!
			# taken is saved: not pending any more
			while grep -qE '^ShdPnd:.*[89a-f]..$' /proc/$!/status; do sleep 0.02; done 2>/dev/null
			kill -INT $! 2>/dev/null
			wait $!
		S
		preload=TOP_PRELOAD
		verdict failing_top "$(calls top bash ../top.sh 2>&1)"
		preload=LD_PRELOAD
	else
		skip failing_record "$(head -n 1 may.err)"
		skip failing_top "$(head -n 1 may.err)"
	fi
	if have_perf && [ "${INSTRUMENT-}" != tsan ]; then
		verdict failing_plugin "$(calls plugin perf script --dlfilter "$BUILD/cdict-dlfilter.so" --dlarg out=x.cdict \
			--dlarg quiet=1 -i ../in.data 2>&1)"
	else
		skip failing_plugin "perf is not installed, or cannot load a sanitizer"
	fi
fi

# killed COMMAND... - at moments of which the last are after its end
killed() {
	local ms
	for ms in 1 2 3 4 5 6 8 10 12 15 18 22 27 33 40 50 65 80 100 150; do
		fresh
		(cd work && exec timeout -s KILL "0.$(printf %03d $ms)" "$@" >../out 2>../err </dev/null)
		figure kills 1
		sound "killed after $ms ms" 137
		cmp -s work/x.txt older.txt || tail -c 20 work/x.txt | grep -qE '</html>|</svg>' || echo "killed after $ms ms: half a text"
	done 2>/dev/null
}
verdict killed_convert "$(killed "$CDICT" convert -q -i "$DATA/kvm-small.data" -o x.cdict 2>&1)"
verdict killed_annotate "$(killed "$CDICT" annotate -q ../in.cdict --map ../map.csv -o x.cdict 2>&1)"
verdict killed_report "$(killed "$CDICT" report -q ../in.cdict -o x.txt 2>&1)"
verdict killed_heatmap "$(killed "$CDICT" heatmap -q ../in.cdict --format-out svg -o x.txt 2>&1)"

# At any moment, a reader sees the complete old or the complete new file.
during() {
	local n=0
	rm -rf work && mkdir work
	cp in.cdict work/x.cdict
	(
		for ((i = 0; i < 20; i++)); do
			"$CDICT" annotate -q work/x.cdict --map map.csv
			"$CDICT" annotate -q work/x.cdict --clear
		done
	) &
	while kill -0 $! 2>/dev/null; do
		"$CDICT" info -q --verify work/x.cdict 2>&1 | grep -q whole || echo "the file read is not complete"
		n=$((n + 1))
	done
	wait
	[ $n -ge 3 ] || echo "read only $n times"
}
verdict reader_during_a_write "$(during 2>&1 | sort | uniq -c)"

# The folder of a file that is being written is moved away, or removed.
vanishing() {
	local how
	for how in mv rm; do
		rm -rf gone away && mkdir gone && mkfifo gone.fifo
		"$CDICT" convert -q -i gone.fifo -o gone/x.cdict 2>err &
		exec 8>gone.fifo
		head -c 100000 "$DATA/kvm-pipe.data" >&8
		if [ $how = mv ]; then mv gone away; else rm -rf gone; fi
		tail -c +100001 "$DATA/kvm-pipe.data" >&8
		exec 8>&-
		wait $!
		case $?:$how in
		0:mv) "$CDICT" info -q --verify away/x.cdict | grep -q whole || echo "$how: status 0 and no file" ;;
		1:*) [ "$(wc -l <err)" -eq 1 ] || cat err ;;
		*) echo "$how: status $?: $(cat err)" ;;
		esac
		rm -f gone.fifo
	done
}
verdict vanishing_folder "$(vanishing 2>&1)"

# Without a reader: no message, and not status 0.
unread() {
	local command
	for command in 'convert -q -i in.data -o -' 'annotate -q in.cdict --map map.csv -o -' 'script in.cdict' 'stats in.cdict -o -' \
		'report in.cdict -o -' 'tasks in.cdict --format json'; do
		# shellcheck disable=SC2086 # words
		(trap '' PIPE; "$CDICT" $command 2>err; echo $? >status) | :
		[ -s err ] && echo "$command: $(head -n 1 err)"
		# output that fits a pipe may be written before the other end is closed
		case $(cat status) in 0 | 1) ;; *) echo "$command: status $(cat status)" ;; esac
	done
}
verdict pipes_without_a_reader "$(unread 2>&1)"
