#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# needs: perl
# shares: 1
# timeout: 120
#
# The flight recorder as its service runs it: `cdict flight run` by a configuration, through kill -9, a full disk, restarts and its
# limits; `cdict record --keep -o -` into `cdict flight receive`.
set -u
. "$TOP/tests/oracle/_lib.sh"
. "$TOP/tests/live/_capture.sh"

holds() { awk "BEGIN { exit !($1) }"; }
dumps() { find dumps -maxdepth 1 -name '*.cdict' -printf '%f\n' | sort; }
whole() {
	local f
	for f in dumps/*.cdict; do "$CDICT" info -q --verify "$f" | grep -q '^state: whole' || echo "$f is not whole"; done
	[ -z "$(find dumps -name '.*')" ] || find dumps -name '.*'
}

# config [LINE...] - t.conf, with these lines of [flight]; the trigger is met by each wake-up of napper
config() {
	printf '%s\n' '[flight]' "directory = $PWD/dumps" 'min-free = 0' "$@" '[record]' 'keep = 500ms,4M' 'mmap-pages = 512K' 'queue = 8M' \
		'trigger = latency>1ns' 'task = ^napper$' >t.conf
}
# service - in the background; sets pid
service() {
	"$CDICT" flight run -c t.conf 2>>journal &
	pid=$!
	ready $pid
}
# stop SIGNAL
stop() {
	kill -"$1" $pid
	wait $pid
}
# until_dumps N [MORE] - at most ten seconds
until_dumps() {
	local n=0
	until [ "$(dumps | wc -l)" -ge "$1" ] || [ $((n += 1)) -gt 500 ]; do sleep 0.02; done
}
# until_line FILE LINE - at most ten seconds
until_line() {
	local n=0
	until grep -qx "$2" "$1" || [ $((n += 1)) -gt 500 ]; do sleep 0.02; done
}
# until_said N TEXT - the journal has so many lines with it; at most ten seconds
until_said() {
	local n=0
	until [ "$(grep -c "$2" journal)" -ge "$1" ] || [ $((n += 1)) -gt 500 ]; do sleep 0.02; done
}
begin_naps() {
	cp "$(command -v perl)" napper
	./napper -e 'select undef, undef, undef, 0.01 while 1' &
	naps=$!
}
end_naps() {
	kill $naps
	wait $naps 2>/dev/null
}

# The VM has a name that nobody should put into a file's name as it is.
names_say_when_who_and_why() {
	local pid naps name
	begin_naps
	config
	# shellcheck disable=SC2016 # as it is
	printf 'tid,task-name\n%s,%s\n' $naps '../$(id);x y' >names.csv
	echo "map = $PWD/names.csv" >>t.conf
	service
	until_dumps 1
	stop TERM || echo "a stopped service ends with $?"
	end_naps
	name=$(dumps | head -n 1)
	[[ $name =~ ^20[0-9]{6}T[0-9]{6}\.[0-9]{3}Z_..%2F%24%28id%29%3Bx%20y_latency-[0-9]+\.[0-9]{3}ms\.cdict$ ]] || echo "the name is $name"
	# shellcheck disable=SC2016
	[ "$(about record.trigger_of "dumps/$name")" = '../$(id);x y' ] || about record.trigger_of "dumps/$name"
	about record.trigger "dumps/$name" | grep -q "^latency of napper ($naps) was " || about record.trigger "dumps/$name"
	"$CDICT" flight list -c t.conf --format csv >list
	grep -q "^time,host,of,trigger,window_ns,bytes,file" list && grep -qF ";x y,latency of napper" list || cat list
	"$CDICT" flight show --max-loss 100 -c t.conf >shown || echo "show ends with $?"
	grep -q "^trigger  latency of napper" shown || cat shown
	whole
}

# As a unit of Type=notify: READY=1 when it records, STOPPING=1 when it ends; with a wrong configuration neither.
notifies_the_service_manager() {
	local pid listener
	config
	perl -MIO::Socket::UNIX -e '$s = IO::Socket::UNIX->new(Type => SOCK_DGRAM, Local => "notify") or die "$!"; $| = 1;
		while (1) { $s->recv($_, 64); print "$_\n"; last if /STOP/ }' >told &
	listener=$!
	until [ -S notify ]; do sleep 0.02; done
	export NOTIFY_SOCKET=$PWD/notify
	"$CDICT" flight check -c t.conf || echo "check ends with $?"
	"$CDICT" flight run -c /dev/null/none 2>/dev/null && echo "it runs without a configuration"
	[ ! -s told ] || cat told
	service
	until_line told READY=1
	stop TERM || echo "it ends with $?"
	unset NOTIFY_SOCKET
	until_line told STOPPING=1
	kill $listener 2>/dev/null
	[ "$(tr '\n' ' ' <told)" = 'READY=1 STOPPING=1 ' ] || cat told
}

killed_and_restarted() {
	local pid naps before i
	config
	service
	kill -USR2 $pid # a dump on request
	until_dumps 1
	stop KILL
	before=$(dumps)
	[[ $before == *_request.cdict ]] || echo "on request: $before"
	# what a recorder leaves on a file system without O_TMPFILE; a stranger's; one that is being written
	cp "dumps/$before" "dumps/.$before.0123abcd"
	echo >dumps/.other.0123abcd
	cp "dumps/$before" dumps/.20261128T015903.120Z_busy_exit-1.0ms.cdict.0123abcd
	exec 9<dumps/.20261128T015903.120Z_busy_exit-1.0ms.cdict.0123abcd
	flock -n 9 || echo "cannot lock"
	for i in 1 2 3; do
		service
		[ "$i" != 1 ] || { "$CDICT" flight run -c t.conf 2>second && echo "two recorders write into one folder"; }
		stop TERM || echo "restart $i ends with $?"
	done
	exec 9<&-
	grep -q 'another flight recorder writes its dumps there' second || cat second
	[ "$(dumps)" = "$before" ] || echo "after the restarts: $(dumps)"
	[ ! -e "dumps/.$before.0123abcd" ] || echo "an unfinished file is left"
	[ -e dumps/.other.0123abcd ] && [ -e dumps/.20261128T015903.120Z_busy_exit-1.0ms.cdict.0123abcd ] || echo "a stranger's file was removed"
	rm dumps/.*
	whole
}

limits() {
	local pid naps n
	begin_naps
	mkdir dumps
	config 'max-rate = 2/m' 'max-age = 1h'
	service
	until_dumps 2
	until_said 1 'max-rate: 2 dumps in 60 s; '
	stop TERM
	[ "$(dumps | wc -l)" = 2 ] || echo "2/m: $(dumps)"
	service # the rate holds across restarts
	until_said 2 'max-rate: 2 dumps in 60 s; '
	kill -USR2 $pid # on request, beyond the rate
	until_dumps 3
	stop TERM
	[ "$(dumps | wc -l)" = 3 ] || echo "after the restart: $(dumps)"
	[ "$(grep -c 'max-rate: 2 dumps in 60 s; ' journal)" = 2 ] || cat journal
	# age and size: only captures with a dump's name are removed, the oldest first
	for n in 1 2 3; do cp "dumps/$(dumps | tail -n 1)" dumps/2026010${n}T000000.000Z_old_exit-1.0ms.cdict; done
	echo text >dumps/20260101T000000.000Z_text_exit-1.0ms.cdict
	cp dumps/20260101T000000.000Z_old_exit-1.0ms.cdict dumps/kept.cdict
	ln -s kept.cdict dumps/20260101T000001.000Z_link_exit-1.0ms.cdict
	service
	stop TERM
	[ "$(dumps | grep -c _old_)" = 0 ] || echo "too old: $(dumps)"
	[ "$(dumps | grep -cE '^kept|_text_|_link_')" = 3 ] || echo "removed a stranger's: $(dumps)"
	rm dumps/*_text_* dumps/*_link_* dumps/kept.cdict
	truncate -s 5M "dumps/$(dumps | head -n 1)"
	config 'max-size = 5M'
	service
	until [ "$(dumps | wc -l)" -ge 4 ] || [ $((n += 1)) -gt 300 ]; do sleep 0.02; done
	stop TERM
	end_naps
	[ "$(du -cb dumps/*.cdict | tail -n 1 | cut -f 1)" -le $((5 << 20)) ] || ls -l dumps
	whole
}

# A file system of 2 MiB that another program fills: recording continues, old dumps make room, and the loss of a dump is said once.
full_disk() {
	local pid naps n=0
	mkdir dumps
	mount -t tmpfs -o size=2M none dumps 2>/dev/null || { echo "skip no mount"; return; }
	begin_naps
	config
	service
	until_dumps 2
	dd if=/dev/zero of=dumps/filler bs=4k 2>/dev/null
	until grep -q 'the disk is full' journal || [ $((n += 1)) -gt 300 ]; do sleep 0.02; done
	end_naps
	until [ -z "$(find dumps -name '.*' -type f)" ] || [ $((n += 1)) -gt 600 ]; do sleep 0.02; done
	rm -f dumps/20* # nothing that could make room
	dd if=/dev/zero of=dumps/filler2 bs=4k 2>/dev/null
	kill -USR2 $pid
	until_said 1 'recording continues'
	kill -USR2 $pid
	sleep 0.5
	[ "$(grep -c 'recording continues' journal)" = 1 ] || { echo "it is not said once"; cat journal; }
	[ "$(find dumps -type f | wc -l)" = 2 ] || ls -la dumps
	rm dumps/filler*
	kill -USR2 $pid
	until_dumps 1
	stop TERM || echo "ends with $?"
	grep -q 'dumps are written again' journal || cat journal
	whole
	umount dumps
}

# Instead of ssh, a pipe: every dump is whole, and equals the file that the stream has at its place.
stream() {
	local naps
	begin_naps
	"$CDICT" record -q --keep 500ms,4M --trigger 'latency>1ns' --task '^napper$' -s 1.8 -o - | tee all | "$CDICT" flight receive -q -d dumps
	[ "${PIPESTATUS[*]}" = '0 0 0' ] || echo "statuses: ${PIPESTATUS[*]}"
	end_naps
	[ "$(dumps | grep -c _napper_latency-)" -ge 1 ] && [ "$(dumps | grep -c _end)" = 1 ] || dumps
	for f in $(dumps); do cat "dumps/$f"; done | cmp - all
	whole
	# the reader leaves: so does the recorder, without a signal
	timeout 20 "$CDICT" record -q --keep 1s -o - 2>err | :
	[ "${PIPESTATUS[0]}" = 1 ] || echo "without a reader it ends with ${PIPESTATUS[0]}"
	[ ! -s err ] || cat err
}

may_record || exit 77
run the-name-of-a-dump-has-the-time-the-vm-and-the-trigger names_say_when_who_and_why
run the-service-manager-is-notified-when-it-records notifies_the_service_manager
run kill-9-and-restarts-lose-the-window-only killed_and_restarted
run rate-age-and-size-are-kept limits
run a-full-disk-does-not-end-the-recorder full_disk
run keep-into-a-pipe-writes-whole-dumps stream
