#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# again: on a busy machine a recorder may lose events
# timeout: 180
# shares: 1
# waits: 1
# needs: python3
#
# cdict top: live figures, on a terminal (a pty) and into a pipe.
# shellcheck disable=SC2154
set -u
. "$TOP/tests/oracle/_lib.sh"
. "$TOP/tests/live/_capture.sh"

# Two tables of a second each; the task that had a CPU stands first.
into_a_pipe() {
	(exec -a spinner bash -c 'while :; do :; done') &
	local spinner=$!
	"$CDICT" top --seconds 2500ms -s cpu --unfold -n 30 >printed 2>err || echo "ends with $?: $(cat err)"
	[ "$(grep -c '^task  *tid  *pid  *cpu  *waited %  .*behind ' printed)" = 2 ] || cat printed
	[ "$(grep -c ' lost; by CPU$' printed)" = 2 ] || cat printed
	grep -q "^bash  *$spinner  *$spinner " printed || cat printed
	grep -q $'\033' printed && echo "it writes terminal escapes to a file"
	find . -name '*.cdict'
	# a host without VMs has no columns of guests
	[ -e /dev/kvm ] || ! grep -q 'exits\|guest\|halted' printed || cat printed
	# without -n, 20 rows and the number of others
	seq 30 | xargs -P 30 -I{} sh -c 'for i in 1 2 3 4 5 6; do sleep 0.3; done' &
	"$CDICT" top --seconds 1 --unfold >printed 2>err || cat err
	[ "$(grep -c '^(.* more rows\{0,1\})$' printed)" = 1 ] && [ "$(grep -vc '^$' printed)" = 24 ] || cat printed
	kill $spinner
	wait
}

# -p, -t: these tasks only, with figures of all; -d: twice a second.
chosen() {
	# two tasks on one CPU wait for each other
	taskset -c 0 bash -c 'while :; do :; done' &
	local one=$! two
	taskset -c 0 bash -c 'while :; do :; done' &
	two=$!
	"$CDICT" top -p $one -t $two -d 500ms --seconds 1100ms >printed 2>err || echo "ends with $?: $(cat err)"
	[ "$(grep -c ' 0\.[45] s, .* by waiting$' printed)" = 2 ] || cat printed
	awk -v one=$one -v two=$two '/^bash / && $2 != one && $2 != two { print } /^bash / { n[$2]++ }
		!/^bash / && !/^task |^---|by waiting$|^$/ { print } END { if (n[one] != 2 || n[two] != 2) print "rows", n[one], n[two] }' printed
	# waiting, behind somebody, and CPU add up to most of the time
	awk '/^bash / && ($5 < 10 || $5 + $8 < 60 || NF != 8) { print }' printed
	kill $one $two
	wait
	"$CDICT" top -p $one 2>err >/dev/null && echo "a process that ended was taken"
	[ "$(cat err)" = "cdict top: option --pid: no process $one" ] || cat err
	"$CDICT" top -t 2147483647 2>err >/dev/null && echo "a thread that does not exist was taken"
	[ "$(cat err)" = "cdict top: option --tid: no thread 2147483647" ] || cat err
}

# At each width every line fits, and waiting, behind and CPU are there; at 200 columns wake-ups, too.
at_widths() {
	local width
	for width in 60 80 120 200; do
		terminals python3 - "$CDICT" $width <<-'P'
		import fcntl, os, pty, re, select, struct, sys, termios, time
		pid, fd = pty.fork()
		if not pid:
		    time.sleep(0.2)
		    os.execv(sys.argv[1], [sys.argv[1], 'top', '--unfold'])
		width = int(sys.argv[2])
		fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', 30, width, 0, 0))
		text, end = b'', time.monotonic() + 30
		while b'q quit' not in text and b's save' not in text and time.monotonic() < end:
		    if select.select([fd], [], [], 0.2)[0]:
		        try:
		            text += os.read(fd, 65536)
		        except OSError:
		            break
		os.write(fd, b'q')
		os.waitpid(pid, 0)
		lines = re.sub(r'\x1b\[[?0-9]*[a-zA-Z]', '', text.decode()).replace('\r', '').split('\n')
		for line in lines:
		    if len(line) > width:
		        print(width, 'too wide:', line)
		head = next((line for line in lines if line.startswith('task ')), '')
		for column in ['tid', 'waited %', 'behind', 'CPU %'] + ['wakeups', 'lat max'] * (width == 200) + ['worst'] * (width >= 80):
		    if column not in head:
		        print(width, 'no', column, 'in', head)
		P
	done
}

# Keys: sort, fold, freeze, save, quit; the terminal is as it was.
in_a_terminal() {
	perf bench sched pipe -l 400000 >/dev/null 2>&1 &
	local load=$!
	terminals python3 - "$CDICT" <<-'P'
	import os, pty, select, sys, termios, time
	pid, fd = pty.fork()
	if not pid:
	    os.execv(sys.argv[1], [sys.argv[1], 'top', '--unfold'])
	before = termios.tcgetattr(fd)[3]
	text = b''
	def until(want, seconds=30):
	    global text
	    end = time.monotonic() + seconds
	    while want not in text:
	        if time.monotonic() > end:
	            print('no', want, 'in', text[-2000:])
	            os.kill(pid, 15)
	            sys.exit()
	        if select.select([fd], [], [], 0.2)[0]:
	            try:
	                part = os.read(fd, 65536)
	            except OSError:
	                part = b''
	            if not part:
	                break
	            text += part
	    found, text = want in text, text[text.find(want) + len(want):] if want in text else b''
	    if not found:
	        print('it ended before', want)
	until(b'\033[?1049h')
	until(b'by waiting')
	until(b'q quit')
	for key, want in (b'e', b'by exits'), (b'c', b'by CPU'), (b'w', b'by waiting'), (b' ', b'frozen: SPACE resumes'), (b' ', b'q quit'), (b's', b'events written to top.cdict'):
	    os.write(fd, key)
	    until(want)
	os.write(fd, b'q')
	until(b'\033[?1049l')
	if termios.tcgetattr(fd)[3] != before:
	    print('the terminal is not as it was')
	if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]):
	    print('it fails')
	P
	kill $load 2>/dev/null # it may be done
	wait
	"$CDICT" info -q --max-loss 100 --verify top.cdict | grep -q '^state: whole' || echo "top.cdict is not whole"
	[ "$(events top.cdict)" -gt 1000 ] || echo "top.cdict holds $(events top.cdict) events"
}

wrong_usage() {
	local words
	for words in '-s name' '--seconds 0' '-o -' 'x' '-d 1ms' '-d 2h' '-p x'; do
		# shellcheck disable=SC2086
		"$CDICT" top $words >/dev/null 2>err
		[ $? -eq 129 ] && [ "$(wc -l <err)" = 2 ] || { echo "top $words:"; cat err; }
	done
}

may_record || exit 77
run a_table_a_second_into_a_pipe into_a_pipe
run chosen_tasks_and_a_shorter_delay chosen
in_terminal lines_fit_at_each_width at_widths
in_terminal keys_in_a_terminal in_a_terminal
run wrong_usage_of_top wrong_usage
