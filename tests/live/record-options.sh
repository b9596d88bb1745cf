#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# again: on a busy machine a recorder may lose events
# timeout: 240
# shares: 1
# waits: 1
# needs: python3
#
# record with options that perf users type: which tasks, when, into which files; and its terminal output.
# shellcheck disable=SC2154
set -u
. "$TOP/tests/oracle/_lib.sh"
. "$TOP/tests/live/_capture.sh"

load() { perf bench sched pipe -l "${1:-20000}" >/dev/null 2>&1; }
rec() { "$CDICT" record -q -o x.cdict "$@" 2>rec.err || echo "record $* ends with $?: $(cat rec.err)"; }
why() { [ "$(about record.end x.cdict)" = "$1" ] || echo "it ended because $(about record.end x.cdict)"; }
whole() { "$CDICT" info -q --max-loss 100 --verify "$1" | grep -q '^state: whole' || echo "$1 is not whole"; }

# Every option of the installed perf is supported, accepted, or refused with a reason; and the manual lists which.
every_option_of_perf() {
	local letter name verdict message n=0
	perf record -h 2>&1 | sed -n 's/$/ /; s/^ *\(-[A-Za-z]\)\{0,1\},\{0,1\} *\(--[a-z-]*\)\{0,1\}[ =[].*/\1 \2/p' | grep -e - >options
	while read -r letter name; do
		case $letter in --*) name=$letter letter= ;; esac
		n=$((n + 1))
		if sed -n '/^\.SH OPTIONS/,/^\.SH EX/p' "$BUILD/man/cdict-record.1" | sed 's/\\-/-/g' | grep -qe "^\.BR .*${name:-$letter}[ \",\[]*"; then
			continue
		fi
		verdict=$(sed -n '/^\.SH COMPARED/,$p' "$TOP/doc/cdict-record.1" | sed 's/\\-/-/g' |
			grep -A1 -e "^\.IP.*[ B]${name:-$letter}\\\\fR" | tail -n 1)
		message=$("$CDICT" record --dry-run "${name:-$letter}" value -- true 2>&1)
		case $?,$verdict in
		0,accepted:*) [ -z "$message" ] || echo "$name prints $message" ;;
		129,refused:*) [[ $message == *"${verdict#refused: }"* ]] || echo "$letter $name prints '$message', the manual '$verdict'" ;;
		*) echo "$letter $name: '$message', the manual says '$verdict'" ;;
		esac
	done <options
	[ $n -gt 60 ] || echo "only $n options of perf were seen"
}

as_perf_is_called() {
	rec -a -R -N -B -T -z -m 1M -s 200ms -e sched_switch,'{sched:sched_waking,sched:sched_wakeup_new}:k'
	"$CDICT" info -q --max-loss 100 -v x.cdict >info
	for name in sched_switch sched_waking sched_wakeup_new; do
		grep -q "sched:$name$" info || echo "no $name: $(grep sched: info)"
	done
	why 'the time is up'
}

# Of a group that is sampled by its leader perf prints the leader's samples under the members' names, too: kept is what happened.
group_sampling() {
	perf record -q -a -e '{sched:sched_switch,sched:sched_waking}:S' -o s.data -- perf bench sched pipe -l 200 >/dev/null 2>&1
	perf script --guest-code --ns -F tid,cpu,time,event,trace -i s.data 2>/dev/null | squeeze >all
	grep 'sched_switch:' all >want
	"$CDICT" script -q -f s.data | squeeze >got
	[ "$(wc -l <want)" -gt 300 ] || echo "only $(wc -l <want) events"
	diff want got | head -n 4
	# nothing else is in the file: each line that perf has more is one of these under the member's name, once
	[ "$(wc -l <got)" -eq "$(perf report --stats -i s.data 2>/dev/null | awk '$1 == "SAMPLE" && $2 == "events:" { print $3; exit }')" ] ||
		echo "$(wc -l <got) events of the file's $(perf report --stats -i s.data 2>/dev/null | grep -m1 'SAMPLE events')"
	grep -v 'sched_switch:' all | sed 's/sched:sched_waking:/sched:sched_switch:/' >repeats
	[ -s repeats ] || echo "perf repeats nothing: $(wc -l <all) lines"
	sort repeats | uniq -d | head -n 2
	sort repeats | comm -23 - <(sort got) | head -n 2
	rec -e '{sched:sched_switch,sched:sched_waking}:S' -- true | grep -q "modifier 'S' .* tracepoint, which is not sampled" || echo "record takes :S"
}

# An unknown name fails, with the nearest name; a pattern without a match is reported once; the default prints nothing.
missing_events() {
	"$CDICT" record -s 0.1 -e sched_swich -o y.cdict 2>rec.err
	[ $? -eq 1 ] && grep -q "(did you mean 'sched_switch'?)" rec.err || cat rec.err
	[ ! -e y.cdict ] || echo "a file is left"
	"$CDICT" record -s 0.1 -e 'sched:*,no_such_system:*' -o x.cdict 2>rec.err
	[ "$(grep -c 'does not have no_such_system' rec.err)" = 1 ] || cat rec.err
	"$CDICT" record -s 0.1 -o x.cdict 2>rec.err
	grep 'does not have' rec.err
}

# One process with its threads and children: no events of others, and the file states its scope.
one_process() {
	load 100000000 & # however late it begins
	local bench=$!
	sleep 0.3
	local of
	of=$(pgrep -P "$bench" | head -n 1)
	rec -p "${of:-$bench}" -s 0.3
	kill "$bench" ${of:+"$of"} 2>/dev/null
	wait
	[ "$(events x.cdict)" -gt 100 ] || echo "$(events x.cdict) events"
	"$CDICT" script --max-loss 100 -e sched:sched_switch x.cdict | grep -v 'prev_comm=\(perf\|sched-\)' | head -n 2
	"$CDICT" info --max-loss 100 x.cdict | grep -q 'some tasks only' || echo "it does not say that it is some tasks"
}
# It is ended when it is recorded, however long that took.
tasks_that_end() {
	local task answer
	mkfifo end.ctl end.ack
	sleep 60 &
	task=$!
	{
		echo ping >end.ctl
		read -r -t 20 answer <end.ack
		kill $task
	} &
	rec -t $task -s 20 --control fifo:end.ctl,end.ack
	why 'the tasks ended'
	"$CDICT" record -q -p 2147483647 -s 0.1 -o y.cdict 2>rec.err
	[ $? -eq 1 ] && grep -q 'option --pid: no process 2147483647' rec.err || cat rec.err
}
one_user() { rec -u "$(id -u)" -s 0.2; }

# It is in /proc until its parent waits for it, and no event can be opened for it.
zombies_are_left_out() {
	python3 -c 'import os, time
if not (child := os.fork()): os._exit(0)
open("zombie.new", "w").write(str(child))
os.rename("zombie.new", "zombie")
time.sleep(600)' &
	until grep -qs '^State:.*Z' "/proc/$(cat zombie 2>/dev/null)/status"; do sleep 0.05; done
	timeout 100 "$CDICT" record -q -o x.cdict -u "$(id -u)" -s 0.2 2>rec.err || echo "status $? with a zombie: $(cat rec.err)"
	timeout 100 "$CDICT" record -q -o y.cdict -t "$(cat zombie)" -s 0.2 2>rec.err
	[ $? -eq 1 ] && grep -q 'have already exited' rec.err || echo "of a zombie alone: $(cat rec.err)"
	kill $!
	wait 2>/dev/null
}

# The time between two ranges is known to be unknown.
ranges() {
	load 100000 &
	rec -D 100-300,600-800 -s 20
	kill $! 2>/dev/null
	wait
	why 'the last --delay range ended'
	"$CDICT" info -q --max-loss 100 --json x.cdict | tr -d '\n ' | grep -q '"count":0,"from' ||
		"$CDICT" info -q --max-loss 100 x.cdict | grep -q ' 0 ring ' || echo "the pause is not a loss"
	whole x.cdict
}

# seconds FILE - between its first and last event
seconds() { "$CDICT" info -q --max-loss 100 --json "$1" | python3 -c 'import json, sys; w = json.load(sys.stdin)["window_ns"]; print(w["length"] / 1e9)'; }
# is_about WHAT SECONDS FROM TO
is_about() { python3 -c 'import sys; v, a, b = map(float, sys.argv[2:]); a <= v <= b or print(sys.argv[1], v, "s, not", a, "to", b)' "$@"; }

# -s is how long events are recorded, whenever they begin; the printed time is the same, without the time for names afterwards.
how_long() {
	local printed
	load 2000000 &
	"$CDICT" record -o x.cdict -D 600 -s 700ms 2>rec.err || cat rec.err
	is_about "-D 600 -s 700ms: first to last event" "$(seconds x.cdict)" 0.6 1
	printed=$(sed -n 's/.* events of .* in \([0-9.]*\) s, .*/\1/p' rec.err)
	is_about "-D 600 -s 700ms: printed" "${printed:-0}" 0.69 0.95
	"$CDICT" record -o x.cdict -g -s 300ms 2>rec.err || grep '^cdict record' rec.err
	printed=$(sed -n 's/.* events of .* in \([0-9.]*\) s, .*/\1/p' rec.err)
	is_about "-g -s 300ms: printed" "${printed:-0}" 0.29 0.6
	"$CDICT" record -o x.cdict -D 100-300,600-800 -s 20 2>rec.err || cat rec.err
	printed=$(sed -n 's/.* events of .* in \([0-9.]*\) s, .*/\1/p' rec.err)
	is_about "two ranges of 200 ms: printed" "${printed:-0}" 0.39 0.7
	kill $! 2>/dev/null
	wait
}

# The file is not larger than --max-size, and filled up to it.
max_size() {
	local size bytes
	load 2000000 &
	for size in 50k 200K 1M; do
		"$CDICT" record -o x.cdict --max-size $size -s 20 2>rec.err || cat rec.err
		why '--max-size was reached'
		whole x.cdict
		bytes=$(stat -c %s x.cdict)
		case $size in 50k) limit=51200 ;; 200K) limit=204800 ;; *) limit=1048576 ;; esac
		[ "$bytes" -le $limit ] || echo "--max-size $size: $bytes bytes"
		[ "$bytes" -ge $((limit / 4)) ] || echo "--max-size $size: $bytes bytes only"
		[ "$(events x.cdict)" -gt 100 ] || echo "--max-size $size: $(events x.cdict) events"
	done
	kill $! 2>/dev/null
	wait
}

# types of a recording, one a line
types() { "$CDICT" info -q -v --max-loss 100 x.cdict | grep -o ' [a-z_]*:[a-z_]*$' | sort; }
systems() {
	rec -e 'sched:*,kvm:*' -s 0.1
	types >want
	rec -e sched,kvm -s 0.1
	types >got
	[ "$(wc -l <want)" -gt 20 ] || echo "only $(wc -l <want) types"
	diff want got | head -n 3
	rec -e sched -s 0.1
	types | diff - <(grep sched: want) | head -n 3
	"$CDICT" record -q -e sche -s 0.1 -o y.cdict 2>rec.err
	[ $? -eq 1 ] && grep -q "no event 'sche'" rec.err || cat rec.err
}

control() {
	local answer
	mkfifo ctl ack
	exec 8<>ack
	"$CDICT" record -q -D -1 --control fifo:ctl,ack -s 30 -o x.cdict 2>rec.err &
	for command in ping enable; do
		echo $command >ctl
		read -r -t 20 answer <&8 && [ "$answer" = ack ] || echo "no answer to $command"
	done
	load 5000
	for command in disable enable disable stop; do
		echo $command >ctl
		read -r -t 20 answer <&8 && [ "$answer" = ack ] || echo "no answer to $command"
	done
	wait $! || echo "record ends with $?"
	exec 8>&-
	why '--control stop'
	[ "$(events x.cdict)" -gt 1000 ] || echo "$(events x.cdict) events"
}

sizes_and_files() {
	load 200000 &
	rec --max-size 20K -s 30
	why '--max-size was reached'
	rm -f x.cdict
	"$CDICT" record -q --switch-output=300ms --switch-max-files 2 -s 1.4 -o r.cdict 2>rec.err || cat rec.err
	kill $! 2>/dev/null
	wait
	[ "$(find . -name 'r.*.cdict' | wc -l)" = 2 ] || ls
	for file in r.*.cdict; do
		[[ $file =~ ^r\.[0-9]{16}\.cdict$ ]] || echo "$file"
		whole "$file"
		[ "$(events "$file")" -gt 0 ] || echo "$file holds no event"
	done
	"$CDICT" record -q --timestamp-filename -s 0.1 -o t.cdict && ls t.*.cdict >/dev/null
	[ ! -e t.cdict ] || echo "it has no time in its name"
}
switched_by_signal() {
	"$CDICT" record -q --switch-output -o s.cdict 2>rec.err &
	ready $!
	load 2000
	kill -USR2 $!
	load 2000
	kill -INT $!
	wait $! || cat rec.err
	[ "$(find . -name 's.*.cdict' | wc -l)" = 2 ] || ls
	"$CDICT" tasks -q --max-loss 100 's.*.cdict' >both || echo "tasks ends with $?"
}

# A pty, as python makes one: progress while it records, and what to type next.
terminal() {
	terminals python3 - "$CDICT" <<-'P'
	import os, pty, re, sys
	pid, fd = pty.fork()
	if not pid:
	    os.execv(sys.argv[1], [sys.argv[1], 'record', '-s', '2500ms'])
	text = b''
	while True:
	    try:
	        part = os.read(fd, 65536)
	    except OSError:
	        break
	    if not part:
	        break
	    text += part
	if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]):
	    print('record fails', text)
	if b' 0 events' in text or b', 0 B' in text:
	    print('0 events, or bytes, are shown:', text)
	seconds = [int(s) for s in re.findall(rb'\rrecording to record.cdict, (\d+) s: ', text)]
	if len(set(seconds)) < 2 or seconds != sorted(seconds) or seconds[-1] > 2: # a busy machine may be late for one
	    print('seconds', seconds, 'in', text)
	for want in b' % of a CPU', b"next: 'cdict vcpu', 'cdict tasks', or 'cdict report' for a page":
	    if want not in text:
	        print('no', want, 'in', text)
	P
	"$CDICT" record -s 0.1 2>rec.err
	grep -e recording -e next: rec.err
}

may_record || exit 77
run every_option_of_perf_is_ours_accepted_or_refused every_option_of_perf
run options_as_perf_is_called as_perf_is_called
run a_sampled_group_is_its_leader_s_samples group_sampling
run missing_events_are_reported_once_when_asked_for missing_events
run one_process_and_what_it_starts one_process
run tasks_that_end_end_the_recording tasks_that_end
run a_user_by_number one_user
run zombies_are_left_out zombies_are_left_out
run only_in_ranges_of_time ranges
run seconds_are_those_of_recording how_long
run a_file_is_no_larger_than_max_size max_size
run a_system_is_all_of_its_events systems
run commands_to_a_running_recording control
run sizes_end_or_switch_files sizes_and_files
run files_are_switched_by_a_signal switched_by_signal
in_terminal a_terminal_shows_that_it_records terminal
