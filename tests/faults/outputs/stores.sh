#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 300
#
# Files of hosts with similar names, stores that are links of another user, full disks for --keep, pull and query, and the
# journal of a killed sweep.
set -u
. "$TOP/tests/oracle/_lib.sh"
cd "$(mktemp -d)" || exit 1
store=$PWD/store
"$CDICT" convert -q -i "$DATA/kvm-callchain.data" -o in.cdict || exit 1
"$CDICT" job create -q --store "$store" 2001 || exit 1

hosts() {
	local host
	for host in a/b a_b 'a b' A_b a%2Fb .a -a "$(printf 'a\033[1m')" "$(printf 'h%.0s' {1..64})"; do
		"$CDICT" push -q --store "$store" --job 2001 --with-file --host="$host" in.cdict || echo "push '$host': status $?"
	done
	"$CDICT" pull --store "$store" --job 2001 -o pulled 2>err || cat err
	grep -q ' 9 files in' err || cat err
	[ "$(ls -A pulled | wc -l)" -eq 9 ] || ls -A pulled
	for file in pulled/*; do cmp "$file" in.cdict; done
	[ -z "$(find pulled -name '*[^][A-Za-z0-9_.%-]*')" ] || find pulled
	# again: the same names, and nothing is put away
	ls -A pulled >names
	"$CDICT" pull -q --store "$store" --job 2001 -o pulled || echo "again: status $?"
	ls -A pulled | diff names -
}
verdict pulled_hosts_have_files_of_their_own "$(hosts 2>&1)"

# one NAME STATUS RIGHT COMMAND... - it fails with one line that matches RIGHT
one() {
	local status
	"${@:4}" >out 2>err
	status=$?
	[ $status -eq "$2" ] || echo "$1: status $status"
	[ "$(wc -l <err)" -eq 1 ] && grep -qE "$3" err || sed "s/^/$1: /" err
}
unwritable() {
	echo text >file
	one file 1 'file/x: Not a directory' "$CDICT" pull --store "$store" --job 2001 -o file/x
	mkdir taken && (cd pulled && ls -A) | while read -r name; do mkdir -p "taken/$name"; done
	one directory 1 'is a directory$' "$CDICT" pull --store "$store" --job 2001 -o taken
}
verdict pull_reports_the_reason_once "$(unwritable 2>&1)"

full() {
	mkdir disk && mount -t tmpfs -o size=4k tmpfs disk || return
	one pull 1 'cannot be written: No space left' "$CDICT" pull --store "$store" --job 2001 -o disk
	one export 1 'cannot be written: No space left' "$CDICT" export -q in.cdict --to csv -o disk/x
	for format in text csv md json; do
		[ -z "$sql" ] || one "query $format" 1 'disk/x: cannot be written: No space left' \
			"$CDICT" query 'SELECT * FROM ftrace_event' in.cdict --format $format -o disk/x
	done
	if [ -n "$live" ]; then
		one keep 1 'disk/x.cdict: .*No space left' "$CDICT" record -q --no-names --keep 1s -s 0.1 -o disk/x.cdict
		"$CDICT" record --no-names --keep 1s -s 0.1 -o disk/x.cdict 2>err
		grep 'is kept' err
		[ "$(grep -c 'No space left' err)" -eq 1 ] || cat err
	fi
	find disk -mindepth 1
	umount disk
}
sql=$("$CDICT" query -q 'SELECT 1' in.cdict 2>/dev/null)
live=$("$CDICT" record -q -s 0.01 --no-names -o may.cdict 2>/dev/null && echo 1)
if [ "$(id -u)" -eq 0 ] && (mkdir -p m && mount -t tmpfs -o size=4k tmpfs m && umount m) 2>/dev/null; then
	verdict full_disk_is_reported_once "$(full 2>&1)"
else
	skip full_disk_is_reported_once "no file system can be mounted here"
fi

# A store, a spool, a folder of pull below a link of another user.
strangers() {
	local mode
	mkdir victim
	for mode in 777 1777; do
		rm -rf open && mkdir open && ln -s ../victim open/his && ln -s ../victim open/mine && chown -h 65534 open/his
		chmod $mode open
		for path in open/his open/his/below/it; do
			one create 1 "another user's link" "$CDICT" job create --store $path 2002
			one list 1 "another user's link" "$CDICT" job list --store $path
			one push 1 "another user's link" "$CDICT" push --store $path --job 2002 in.cdict
			one pull 1 "another user's link" "$CDICT" pull --store "$store" --job 2001 -o $path
		done
		one sweep 1 "another user's link" "$CDICT" sweep -q -n 1 -L b 1 --metric v -o open/his/s.json -- echo '{"v": 1}'
		[ -z "$(ls -A victim)" ] || ls -A victim
		# root's own link, and one in a folder that only root may write
		"$CDICT" job create -q --store open/mine 2003 && "$CDICT" job remove -q --store open/mine 2003 || echo "mine: status $?"
		chmod 755 open
		"$CDICT" job create -q --store open/his/new 2003 && "$CDICT" job list --store victim/new | grep -q 2003 || echo "his, where only root writes"
		rm -rf victim/new
	done
}
if [ "$(id -u)" -eq 0 ]; then
	unset SUDO_UID SUDO_GID
	verdict store_below_a_strangers_link "$(strangers 2>&1)"
else
	skip store_below_a_strangers_link "only root can lay a link of another user"
fi

# The recording child outlives its sweep for a moment, without holding locks or files.
killed() {
	local sweep=("$CDICT" sweep -q -n 2 -L b 1,2 --record --metric record.switches -o s.json -- sh -c '[ -e go ] || exec sleep 60') pid children
	setsid "${sweep[@]}" >/dev/null 2>&1 &
	pid=$!
	for ((i = 0; i < 200; i++)); do [ -s s.journal ] && break; sleep 0.02; done
	sleep 0.2
	# its children are stopped, so that they surely exist
	children=$(pgrep -P $pid)
	[ -n "$children" ] || echo "it started nothing"
	kill -STOP $children
	kill -9 $pid
	wait $pid 2>/dev/null
	touch go
	"${sweep[@]}" >out 2>err || { echo "status $?"; cat err; }
	kill -KILL $children 2>/dev/null
	[ -s s.json ] || echo "s.json is missing"
}
if [ -n "$live" ]; then
	verdict killed_sweep_leaves_no_lock "$(killed 2>&1)"
else
	skip killed_sweep_leaves_no_lock "nothing can be recorded here"
fi
