#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 600
# needs: python3
# Two readers of the same files must agree on every event: libcdict, and one in Python that was
# written from cdict(5) alone.  The files are all converted fixtures, of another byte order every third, and damaged files.
set -u
. "$TOP/tests/oracle/_lib.sh"

dump=$BUILD/tests/tools/check/dumpevents
[ -x "$dump" ] || { echo "not ok dumpevents is not built"; exit 1; }

# The sanitizers look at libcdict only: the result of Python for a file of the same bytes is known.
second() { python3 "$TOP/tests/tools/check/secondread.py" -a "$1" 2>second.err; }

# agree NAME FILE [EVENTS]: the same lines, at least so many, and both say of damage or neither does.
agree() {
	local first other
	"$dump" -a "$2" >first 2>first.err
	first=$?
	: >second.err
	once "second-$(content_of "$2")" second "$2" >second
	other=$?
	if [ $first -gt 2 ] || [ $first -ne $other ]; then
		fail "$1" < <(echo "status $first and $other"; cat first.err second.err)
	elif ! cmp -s first second; then
		fail "$1" < <(diff first second)
	elif [ -n "${3-}" ] && [ "$(wc -l <first)" -lt "$3" ]; then
		fail "$1" <<<"fewer than $3 events"
	else
		pass "$1"
	fi
}

convert() { # INPUT OUTPUT
	rm -f "$2"
	"$CDICT" convert -q -e '*:*' -i "$1" -o "$2" 2>convert.err
	local status=$?
	[ $status -eq 0 ] || [ $status -eq 2 ] || { cat convert.err; return 1; }
}

n=0
for trace in "$DATA"/*.trace; do
	name=$(basename "$trace" .trace)
	n=$((n + 1))
	for form in "" --big-endian; do
		[ -z "$form" ] || in_sample $n 3 || continue
		"$MKPERF" $form -o x.data "$trace" 2>mkperf.err && convert x.data x.cdict ||
			{ echo "not ok $name${form#-}"; cat mkperf.err; continue; }
		agree "$name${form#-}" x.cdict
	done
done

while IFS= read -r data; do
	name=$(basename "$data")
	# kvm-zstd has 65,286 events, enough for a sanitizer
	case $BUILD in *san-*) ! is_large "$data" || continue ;; esac
	convert "$data" x.cdict || { echo "not ok $name"; continue; }
	agree "$name" x.cdict 100
done < <(real_captures)
[ -n "$SHARED" ] || skip shared-captures "../shared is not there"

# Flexible arrays: texts, arguments, stacks.
for form in "" --big-endian; do
	python3 "$TOP/tests/tools/make/mkftrace.py" $form x.dat && convert x.dat x.cdict
	agree "ftrace${form#-}" x.cdict 23
done

# Long enough for digests, two tasks in turn, and every 90 ms one that is born, works and dies; too
# long for the sanitizers.
long() {
	python3 - >long.trace <<'END'
from random import Random
random, t, running = Random(7), 0, 10
print('cpus 2\nproc 1 systemd\nproc 10 one\nproc 11 two')
def line(tid, cpu, text):
    global t
    t += random.randrange(900, 90000)
    print(f'{tid} [{cpu:03d}] {50 + t // 10**9}.{t % 10**9:09d}: {text}')
def switch(prev, state, nxt, cpu=0):
    line(prev, cpu, f'sched:sched_switch: prev_pid={prev} prev_state={state} next_pid={nxt}')
for i in range(100000):
    if i % 2000 == 9:
        tid = 1000 + i
        line(1, 1, f'FORK {tid}/{tid} 1/1')
        line(1, 1, f'COMM {tid}/{tid} short')
        line(1, 1, f'sched:sched_wakeup_new: pid={tid} prio=120 target_cpu=1')
        switch(0, 'R', tid, 1)
        if i % 4000 == 9:   # for the others the records are incomplete
            line(tid, 1, f'EXIT {tid}/{tid} 1/1')
        switch(tid, 'X', 0, 1)
    switch(running, 'S', 21 - running)
    running = 21 - running
END
	"$MKPERF" --formats "$DATA/formats" -o x.data long.trace && convert x.data x.cdict
	agree long x.cdict 100000
	python3 - "$TOP/tests/tools/check" >digests.out 2>&1 <<'END'
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from secondread import Cdict
c = Cdict(open('x.cdict', 'rb').read())
short = {tid for tid in range(1009, 101009, 2000)}
listed = {tid for _, tid, *_ in c.digests.tasks}
deaths = c.digests.deaths
assert listed & short == deaths.keys() == {tid for tid in short if tid % 4000 != 1009}, (listed, deaths)
c.digests.deaths = {tid: t + (1 << 20) for tid, t in deaths.items()}
assert sum('died at' in line for line in c.digests.prove(c)) == len(deaths) == 25
END
	verdict long-has-the-times-of-death "$(cat digests.out)"
}
case $BUILD in *san-*) ;; *) long ;; esac

# Damage: a byte of every thousand changed, and cuts.
convert "$DATA/kvm-zstd.data" whole.cdict
size=$(stat -c %s whole.cdict)
for at in 20 "$((size / 5))" "$((size / 3))" "$((size / 2))" "$((size * 4 / 5))" "$((size - 3))"; do
	cp whole.cdict x.cdict
	byte=$(od -An -tu1 -j "$at" -N 1 x.cdict)
	printf "\\$(printf %o "$(((byte + 1) % 256))")" |
		dd of=x.cdict bs=1 seek="$at" conv=notrunc 2>/dev/null
	agree "changed-at-$at" x.cdict
	head -c "$at" whole.cdict >x.cdict
	agree "cut-at-$at" x.cdict
done
