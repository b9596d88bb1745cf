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
	kill $spinner
	wait
	[ "$(grep -c '^waiting %' printed)" = 2 ] || cat printed
	[ "$(grep -c ' lost; by CPU$' printed)" = 2 ] || cat printed
	grep -q '^ .* bash$' printed || cat printed
	grep -q $'\033' printed && echo "it writes terminal escapes to a file"
	find . -name '*.cdict'
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
	for words in '-s name' '--seconds 0' '-o -' 'x'; do
		# shellcheck disable=SC2086
		"$CDICT" top $words >/dev/null 2>err
		[ $? -eq 129 ] && [ "$(wc -l <err)" = 2 ] || { echo "top $words:"; cat err; }
	done
}

may_record || exit 77
run a_table_a_second_into_a_pipe into_a_pipe
in_terminal keys_in_a_terminal in_a_terminal
run wrong_usage_of_top wrong_usage
