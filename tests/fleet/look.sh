#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The page of a job: its tables equal the commands' output, its cells the captures' figures; host names may be hostile; many hosts and
# buckets are merged by their largest figures; a real Chromium draws it without errors.
# needs: python3 jq
# timeout: 300
set -u
. "$TOP/tests/oracle/_lib.sh"
. "$TOP/tests/fleet/_lib/redis.sh"
cd "$(mktemp -d)" || exit 1
MKJOB=$BUILD/tests/tools/make/mkjob

page() { python3 "$TOP/tests/fleet/_lib/page.py" "$@"; }

# is EXPRESSION WANTED PAGE
is() {
	local got
	got=$(page "$3" print "$1")
	[ "$got" = "$2" ] || echo "$1: '$got', wanted '$2'"
}

tables() {
	local command
	"$CDICT" job create 2001 --bucket 10ms && "$CDICT" push -q --job 2001 a.cdict && "$CDICT" push -q --job 2001 b.cdict
	"$CDICT" push -q --job 2001 --host other b.cdict
	"$CDICT" report -q --job 2001 -o fleet.html || echo "report: status $?"
	for command in vcpu tasks latency; do
		"$CDICT" $command -q --job 2001 --json >$command.json
		page fleet.html equal $command $command.json
	done
	"$CDICT" exits -q --job 2001 --by reason --json >exits.json
	page fleet.html equal exits exits.json
	# VMs: the sum of their vCPUs
	[ "$(jq '[.vcpu[].delayed_ns] | add' vcpu.json)" = "$(page fleet.html print "sum(rows['vms']['by_column'][rows['vms']['columns'].index('delayed_ns')])")" ] || echo 'vms: other sums'
	is "len(head['map']['figures'])" 12 fleet.html
	# noisy hosts first
	is "rows['hosts']['by_column'][1] == sorted(rows['hosts']['by_column'][1], key=lambda v: -1 if v is None else v, reverse=True)" True fleet.html
	"$CDICT" job remove 2001
	# one bucket: the figures of the capture
	"$CDICT" job create 2002 --bucket 1d && "$CDICT" push -q --job 2002 a.cdict
	"$CDICT" report -q --job 2002 -o one.html
	"$CDICT" tasks -q --merge-sys-tasks --json a.cdict >tasks.json
	page one.html cells tasks.json
	"$CDICT" job remove 2002
}

# column TABLE COLUMN - prints an expression for its values
column() { echo "rows['$1']['by_column'][rows['$1']['columns'].index('$2')]"; }

# two jobs: doubling both figures and hosts changes nothing; rows on one side only are all change; worst first
compares() {
	local percent
	"$CDICT" job create before --bucket 50ms && "$CDICT" push -q --job before --host h1 a.cdict
	"$CDICT" job create after --bucket 50ms && "$CDICT" push -q --job after --host h1 a.cdict && "$CDICT" push -q --job after --host h2 a.cdict
	"$CDICT" report -q --job before --job after -o cmp.html || echo "status $?"
	is "len([v for v, vm in zip($(column tasks change_run_percent), $(column tasks vm)) if vm is None and abs(v) > 1e-9])" 0 cmp.html
	is "len([v for v, vm in zip($(column tasks change_switches_per_s), $(column tasks vm)) if vm is None]) > 5" True cmp.html
	percent=$("$CDICT" tasks -q --job before --json | jq '[.tasks[] | select(.name == "rcu_preempt")][0].run_percent')
	is "abs(dict(zip($(column tasks name), $(column tasks was_run_percent)))['rcu_preempt'] - $percent) < 1e-9" True cmp.html
	is "all(was is None and change == now for vm, was, now, change in zip($(column vms vm), $(column vms was_delayed_percent), $(column vms is_delayed_percent), $(column vms change_delayed_percent)) if vm.startswith('h2:'))" True cmp.html
	is "len([vm for vm in $(column vms vm) if vm.startswith('h2:')])" "$("$CDICT" vcpu -q --job before --json | jq '[.vcpu[].vm] | unique | length')" cmp.html
	is "$(column vms change_delayed_percent) == sorted($(column vms change_delayed_percent), reverse=True)" True cmp.html
	is "[v for v in $(column hosts change_busy_percent)][1]" 0 cmp.html
	"$CDICT" report -q --job before,before -o same.html
	is "{v for t in rows.values() if isinstance(t, dict) for c, k in enumerate(t['columns']) if k.startswith('change') for v in t['by_column'][c]} <= {0, None}" True same.html
	"$CDICT" report -q --job before,after,third 2>/dev/null
	[ $? = 129 ] || echo 'three jobs'
	"$CDICT" job remove before && "$CDICT" job remove after
}

# an empty job, and a missing one
empty() {
	"$CDICT" job create 2003 && "$CDICT" report --job 2003 -o empty.html || echo "status $?"
	is "'This job is empty' in head['lines'][0]" True empty.html
	is "'no host has pushed' in picture('busy_percent')" True empty.html
	"$CDICT" job remove 2003
	"$CDICT" report --job 2003 -o none.html 2>err && echo 'a page of no job'
	grep -q 'no job 2003' err && [ ! -e none.html ] || cat err
	"$CDICT" report --job 2003 -t qemu 2>/dev/null
	[ $? = 129 ] || echo "-t was taken"
	"$CDICT" report --job ../x 2>/dev/null && echo 'an invalid id'
}

# names that contain a path, end an element, or map to the same file
hostile() {
	local host hosts=('../../evil' '<script>x</script>"' 'a/b' 'a_b' '-o' $'\x1b[2Jx')
	mkdir -p out/in
	"$CDICT" job create 2004
	for host in "${hosts[@]}"; do "$CDICT" push -q --job 2004 --with-file "--host=$host" a.cdict; done
	"$CDICT" report -q --job 2004 -o out/in/fleet.html || echo "report: status $?"
	[ "$(find out | wc -l)" = 9 ] || find out
	[ -z "$(find out -name '*[!A-Za-z0-9._-]*')" ] || find out
	is "len(rows['links'])" 6 out/in/fleet.html
	is "sorted(link[0] for link in rows['links']) == sorted(rows['hosts']['by_column'][0])" True out/in/fleet.html
	is "tags.count('script') - $(page fleet.html print "tags.count('script')")" 0 out/in/fleet.html
	grep -q '<script>x' out/in/fleet.html && echo 'a name is an element'
	page out/in/fleet.html print "'\n'.join(link[1] for link in rows['links'])" | while read -r file; do
		[ -s "out/in/$file" ] || echo "no $file"
	done
	grep -q '"label": "a/b"' out/in/fleet-a_b-*.html || echo 'a/b has not its own page'
	rm -r out/in && mkdir out/in
	"$CDICT" report -q --job 2004 --no-host-pages -o out/in/fleet.html
	[ "$(ls out/in)" = fleet.html ] || ls out/in
	"$CDICT" job remove 2004
}

# a value that is not a capture, and one modified in the store: reported with the host's name; the others get their pages
damaged() {
	local folder
	"$CDICT" job create 2008 && "$CDICT" push -q --job 2008 --with-file --host good a.cdict && "$CDICT" push -q --job 2008 --with-file --host bad b.cdict
	folder=$(echo "$CDICT_STORE"/2008/f*bad)
	printf x | dd of="$(ls "$folder"/*.000000000000)" bs=1 seek=3000 conv=notrunc status=none
	mkdir -p "${folder%bad}worse"
	python3 - "${folder%bad}worse/0123456789abcdef" <<-'END'
		import struct, sys, zlib
		data = b"not a capture at"
		open(sys.argv[1] + ".000000000000", "wb").write(data)
		open(sys.argv[1] + ".end", "wb").write(b"CDFE" + struct.pack("<BQQI", 1, 1, len(data), zlib.crc32(data)))
	END
	mkdir -p dam
	"$CDICT" report --job 2008 -o dam/fleet.html 2>err
	[ $? = 2 ] || echo "status $?"
	grep -q 'bad: wrong checksum: page not written' err && grep -q 'worse: .*: page not written' err && [ "$(wc -l <err)" = 2 ] || cat err
	[ "$(ls dam | tr '\n' ' ')" = 'fleet-good.html fleet.html ' ] || ls dam
	"$CDICT" job remove 2008
	# bad figures stop it: no partial page is drawn
	"$CDICT" job create 2009 && "$CDICT" push -q --job 2009 --host bad a.cdict
	for folder in "$CDICT_STORE"/2009/h*/*; do printf x | dd of="$folder" bs=1 seek=100 conv=notrunc status=none; done
	"$CDICT" report --job 2009 -o dam/none.html 2>err && echo 'invalid figures'
	grep -q 'host bad' err && [ "$(wc -l <err)" = 1 ] && [ ! -e dam/none.html ] || cat err
	"$CDICT" top --job 2009 --seconds 1ms 2>err && echo 'followed invalid figures'
	grep -q 'host bad' err || cat err
	"$CDICT" job remove 2009
}

# one second is a hundred times the others: it stays visible however many buckets share its cell
folds() {
	"$CDICT" job create many && "$MKJOB" "$CDICT_STORE" many 300 2
	"$CDICT" report -q --job many -o many.html
	is "len(head['map']['names']), head['map']['columns']" "(150, 2)" many.html
	is "sum(values['seen'])" 600 many.html
	is "'2 per row' in head['map']['each']" True many.html
	is "max(values['busy_percent'][0:2]) >= max(rows['hosts']['by_column'][2][0:2])" True many.html
	"$CDICT" job remove many
	"$CDICT" job create long && "$MKJOB" "$CDICT_STORE" long 4 700
	"$CDICT" report -q --job long -o long.html
	is "head['map']['columns'] <= 300 and head['map']['column_ns'] == 4000000000" True long.html
	is "sum(values['seen']) == 2800 and max(values['seen']) == 4" True long.html
	# host-0003 is noisy from 234 s to 350 s
	is "head['map']['names'][0]" host-0003 long.html
	is "[min(values['waiting_percent'][60:85]) > 2 * max(values['waiting_percent'][0:55])]" '[True]' long.html
	"$CDICT" job remove long
	# the same buckets, with two more than there are columns
	"$CDICT" job create fits && "$MKJOB" "$CDICT_STORE" fits 1 300 && "$CDICT" report -q --job fits -o fits.html
	"$CDICT" job create over && "$MKJOB" "$CDICT_STORE" over 1 302 && "$CDICT" report -q --job over -o over.html
	is "values['busy_percent'][:50]" "$(page fits.html print "[max(values['busy_percent'][2 * i:2 * i + 2]) for i in range(50)]")" over.html
	"$CDICT" job remove fits && "$CDICT" job remove over
}

# a page that is drawn reports it; a violation of the policy would be a line in the log
drawn() {
	local profile
	profile=$(mktemp -d)
	"${CHROMIUM:-chromium}" --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --user-data-dir="$profile" \
		--window-size=1280,800 --virtual-time-budget=20000 --enable-logging=stderr --dump-dom \
		"file://$PWD/fleet.html#figure=busy_percent&table=vms&theme=dark" >dom 2>log
	rm -rf "$profile"
	grep -q 'data-drawn="1"' dom || echo 'not drawn'
	grep -q 'data-failed' dom && echo 'failed'
	grep -q 'data-figure="busy_percent"><svg' dom || echo 'no picture'
	grep -q 'data-table="vms"' dom || echo 'no table'
	grep CONSOLE log
}

# events FILE - sum over all tables that top printed, except the first
events() { sed -n 's/^job 2006.* s, \([0-9,]*\) events.*/\1/p' "$1" | tr -d , | awk 'NR > 1 { n += $1 } END { print n + 0 }'; }

# top prints each host's last bucket first, then each new bucket once, until a signal
follows() {
	local pid i want
	want=$("$CDICT" info a.cdict --json | jq .capture.events)
	"$CDICT" job create 2006 --bucket 10ms && "$CDICT" push -q --job 2006 a.cdict && "$CDICT" push -q --job 2006 --host later b.cdict
	"$CDICT" top --job 2006 --delay 50ms >top.out 2>top.err &
	pid=$!
	for i in $(seq 400); do [ -s top.out ] && break; sleep 0.05; done
	grep -q '^job 2006, 2 of 2 hosts: 0.0 s' top.out || cat top.out
	"$CDICT" push -q --job 2006 --host later a.cdict
	for i in $(seq 400); do [ "$(events top.out)" -ge "$want" ] && break; sleep 0.05; done
	sleep 0.3 # nothing more comes
	kill -TERM "$pid" # INT is ignored by background processes of a script
	wait "$pid" || echo "status $?"
	cat top.err
	[ "$(events top.out)" = "$want" ] || { echo "$(events top.out) events, wanted $want"; cat top.out; }
	grep -q ', 1 of 2 hosts' top.out || cat top.out
	# VMs have rows, with the exits of the table
	"$CDICT" job create 2007 --bucket 1d && "$CDICT" push -q --job 2007 a.cdict
	"$CDICT" top --job 2007 --seconds 1ms >once.out || echo "once: status $?"
	[ "$(awk '/^host / { for (i = 1; i <= NF; i++) if ($i == "exits") at = i - 2; next } at && !/^-/ { gsub(",", "", $at); print $at; exit }' once.out)" = \
		"$("$CDICT" exits a.cdict -q --by reason --json | jq '[.exits[].count] | add')" ] || cat once.out
	grep -q '^VM  *vCPUs  ' once.out || cat once.out
	"$CDICT" job remove 2006
	"$CDICT" top --job 2006 2>err && echo 'followed nothing'
	grep -q 'no job 2006' err || cat err
	"$CDICT" top --job 2007 -C 0 2>/dev/null
	[ $? = 129 ] || echo '-C was taken'
	"$CDICT" job remove 2007
}

store() {
	export CDICT_STORE=$2
	verdict "$1_page_agrees_with_the_commands" "$(tables 2>&1)"
	verdict "$1_top_prints_each_bucket_once" "$(follows 2>&1)"
}

captures
store folder "$PWD/jobs"
verdict two_jobs_are_compared "$(compares 2>&1)"
verdict empty_job_has_a_message "$(empty 2>&1)"
verdict hostile_names_of_hosts "$(hostile 2>&1)"
verdict damaged_values_are_reported "$(damaged 2>&1)"
verdict many_fold_to_the_largest "$(folds 2>&1)"
if command -v "${CHROMIUM:-chromium}" >/dev/null; then
	verdict chromium_draws_it "$(drawn 2>&1)"
else
	skip chromium_draws_it 'chromium is not installed'
fi
if ! command -v redis-server >/dev/null || "$CDICT" job list --store redis://127.0.0.1:1 2>&1 | grep -q 'built without hiredis'; then
	skip redis_page_agrees_with_the_commands 'no redis-server, or built without hiredis'
	exit
fi
port=$(free_port)
start_redis "$port" r1
store redis "redis://127.0.0.1:$port"

# values evicted by the server are counted, reported in words, and change the status
evicted() {
	local key='cdict:{2010}:s:h:gone'
	"$CDICT" job create 2010 --bucket 10ms && "$CDICT" push -q --job 2010 --host gone a.cdict
	redis-cli -p "$port" hdel "$key" "$(redis-cli -p "$port" hkeys "$key" | head -n 1)" >/dev/null
	"$CDICT" report --job 2010 -o gone.html 2>err
	[ $? = 2 ] || echo 'another status'
	grep -q 'the store evicted 1 pushed bucket;' err || cat err
	is "[line for line in head['lines'] if 'The store evicted 1 pushed bucket;' in line] != []" True gone.html
	is "$(column hosts gone)" '[1]' gone.html
	redis-cli -p "$port" del "$key" >/dev/null
	"$CDICT" report -q --job 2010 -o gone.html
	[ $? = 2 ] || echo 'another status'
	is "[f['about'] for f in head['findings'] if f['text'] == 'No figures are left of: gone.']" "['gone']" gone.html
	"$CDICT" job remove 2010
}
verdict evicted_values_are_reported "$(evicted 2>&1)"
