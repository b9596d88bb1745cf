#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# again: on a busy machine a recorder may lose events
# timeout: 240
# shares: 1
# needs: python3
#
# record -g: call chains with their symbols, compared with perf record -g at the same time.
# shellcheck disable=SC2154
set -u
. "$TOP/tests/oracle/_lib.sh"
. "$TOP/tests/live/_capture.sh"

events=sched:sched_switch,sched:sched_waking
frames() { "$CDICT" script -q --max-loss 100 -F pid,tid,event,trace,ip,sym,symoff,dso "$1"; }

# Names in both at the same address of the same process, the kernel being one; recorded at the same time as with perf.
python_compare='
import re, sys
def names(path):
    found, pid, events = {}, None, 0
    for line in open(path, errors="replace"):
        frame = re.match(r"\t *([0-9a-f]+) (.*)$", line)
        if frame:
            whose = 0 if int(frame[1], 16) >> 63 else pid
            found.setdefault((whose, frame[1]), set()).add(re.sub(" +", " ", frame[2]))
        elif event := re.match(r" *(\d+)/\d+ ", line):
            pid, events = event[1], events + 1
    return found, events
ours, n = names(sys.argv[1])
perfs, m = names(sys.argv[2])
# Programs with generated code have none of them; perf does not know the program of a few early events either.
# Of a process with another root folder perf opens the files of its own.
here = set(open(sys.argv[3]).read().split())
both = [a for a in ours if a in perfs and "//anon" not in str(ours[a]) and "::" not in str(perfs[a]) and (not a[0] or a[0] in here)]
for names in perfs.values():
    names.discard("[unknown] ([unknown])")
for names in ours.values():
    names.discard("[unknown] ([unknown])")
kernel, named = sum(a[0] == 0 for a in both), sum(a[0] != 0 and "[unknown]" not in str(ours[a]) for a in both)
if n < 500 or kernel < 50 or named < 20:
    print(f"{n} events of ours, {m} of perf: {kernel} addresses of the kernel and {named} named ones of programs in both")
def differ(a):
    ours_, perfs_ = ours[a], perfs[a]
    if a[0]:
        # perf stretches symbols without a size, and makes names for the PLT, which has none; of several names of one
        # place it takes others than libdw, those of C++ it demangles.
        if "[unknown]" in str(ours_):
            return False
        ours_, perfs_ = ({re.sub("^.*(?=[+]0x)", "", name) for name in names} for names in (ours_, perfs_))
    return ours_ != perfs_ and ours_ and perfs_
lacks = sum(a[0] != 0 and "[unknown]" in str(ours[a]) and "[unknown]" not in str(perfs[a]) for a in both)
if lacks * 4 > named:
    print(f"{lacks} addresses of programs have a name for perf alone, {named} for us")
same = sum(a[0] != 0 and ours[a] == perfs[a] for a in both)
if same * 2 < named:
    print(f"of {named} named addresses of programs {same} are called as perf calls them")
for a in [a for a in both if differ(a)][:5]:
    print("address", a[1], "of", a[0], "is", ours[a], "and for perf", perfs[a])
'

# Programs that begin, run a while and end while it is recorded.
load() {
	perf bench sched messaging -g 1 -l 200 >/dev/null 2>&1
	for _ in 1 2 3 4 5; do
		ls / | sort >/dev/null
		sh -c 'read -r line </proc/self/stat; echo "$line"' | cat >/dev/null
	done
}

# with_our_root - the processes that are seen with it, to a file, until it is killed
with_our_root() {
	local p
	while :; do
		for p in /proc/[0-9]*; do
			[ ! "$p/root/." -ef / ] || echo "${p#/proc/}"
		done
		sleep 0.02
	done 2>/dev/null
}

names_are_perf_s() {
	with_our_root >here &
	local roots=$!
	"$CDICT" record -q -g -e $events --keep-perf-data p.data -o x.cdict 2>rec.err &
	local pid=$!
	ready $pid
	load
	sleep 1.2 # both have seen the rest
	kill -INT $pid
	wait $pid || cat rec.err
	kill $roots
	[ -z "$(cat rec.err)" ] || cat rec.err
	perf script --guest-code --no-inline -F pid,tid,ip,sym,symoff,dso,event,trace -i p.data >theirs 2>/dev/null
	frames x.cdict >ours
	python3 -c "$python_compare" ours theirs here
	"$CDICT" info -q --max-loss 100 --verify x.cdict | grep -q '^state: whole' || echo "it is not whole"
}

# The same events and the same times, whether frames are asked for or not; frames are after their event.
lines_as_perf_s() {
	"$CDICT" record -q --call-graph fp -e $events -o x.cdict -- perf bench sched pipe -l 500 >/dev/null || return
	"$CDICT" script -q --max-loss 100 x.cdict >with
	"$CDICT" script -q --max-loss 100 -G x.cdict >without
	grep -v -e '^	' -e '^$' with | cmp - without
	awk -v RS= -F'\n' '{ for (i = 2; i <= NF; i++) if ($i !~ /^\t *[0-9a-f]+ .* \(.*\)$/) { print; exit } }' with
	[ "$(awk -v RS= -F'\n' 'NF > 3 { n++ } END { print n }' with)" -gt 500 ] || head -n 40 with
	python3 "$TOP/tests/tools/check/secondread.py" -a x.cdict >second 2>second.err || cat second.err
	"$BUILD/tests/tools/check/dumpevents" -a x.cdict | differ_from second
}
differ_from() { cmp - "$1" || echo "the second reader reads something else"; }

one_part_alone() {
	"$CDICT" record -q --kernel-callchains -e $events -o k.cdict -- perf bench sched pipe -l 300 >/dev/null || return
	"$CDICT" record -q --user-callchains -e $events -o u.cdict -- perf bench sched pipe -l 300 >/dev/null || return
	frames k.cdict | grep '^	' | grep -v '^	ffffffff' | head -n 3
	# what frame pointers lead to in a program without them may look like an address of the kernel
	frames u.cdict | grep '(\[kernel' | head -n 3
	[ "$(frames k.cdict | grep -c '^	')" -gt 300 ] || echo "no frames of the kernel"
	[ "$(frames u.cdict | grep -c '^	')" -gt 100 ] || echo "no frames of programs"
}

# Of each file all stacks are in it: of a flight recorder's dumps, of files one after the other, of one that was killed.
every_file_has_its_own() {
	perf bench sched pipe -l 1000000 >/dev/null 2>&1 &
	local bench=$!
	"$CDICT" record -q -g -e $events --keep 1s -o d.cdict 2>rec.err &
	local pid=$!
	ready $pid
	sleep 0.5
	kill -USR2 $pid
	until [ -s d.cdict ] || ! kill -0 $pid; do sleep 0.05; done
	kill -INT $pid
	wait $pid || cat rec.err
	"$CDICT" record -q -g -e $events --switch-output=400ms -s 1 -o r.cdict 2>rec.err || cat rec.err
	"$CDICT" record -q -g -e $events -o killed.cdict 2>rec.err &
	pid=$!
	ready $pid
	sleep 3
	kill -KILL $pid
	wait $pid
	kill $bench 2>/dev/null # unless it is done
	wait $bench
	for file in d.cdict d.2.cdict r.*.cdict killed.cdict; do
		"$CDICT" info -q --max-loss 100 "$file" 2>/dev/null | grep -q '^stacks' || echo "$file has no stacks"
		[ "$(frames "$file" 2>/dev/null | grep -c ' schedule+0x')" -gt 20 ] || echo "$file names no frames"
	done
}

# By unwind tables: at the same moment of the same thread perf's frames are among ours, in their order. perf's unwinder
# (libunwind of 6.1) loses some, or goes astray: then its last frame is some junk of the stack.
python_unwound='
import bisect, collections, re, sys
here = set(open(sys.argv[3]).read().split()) # of others perf opens the files that this folder has
def events(path):
    found, frames = collections.defaultdict(list), None
    for line in open(path, errors="replace"):
        frame = re.match(r"\t *([0-9a-f]+) (.*) \((.*)\)$", line)
        event = None if frame else re.match(r".*?(\d+)/(\d+) +(\d+[.]\d+): +(\S+)", line)
        if frame and not re.match(r"\[(unknown|heap|stack)|//anon|.*/perf-[0-9]+\.map$", frame[3]):
            # perf gives addresses of the file then
            frames.append((frame[1][-3:], frame[3].split("/")[-1], frame[2]))
        elif event:
            frames = []
            if event[1] in here:
                found[event[2], event[4]].append((float(event[3]), frames))
    return {key: sorted(all, key=lambda e: e[0]) for key, all in found.items()}
def user(frames):
    return [f for f in frames if not f[1].startswith("[")]
def within(few, many):
    rest = iter(many)
    return all(f in rest for f in few)
ours, perfs = events(sys.argv[1]), events(sys.argv[2])
met = good = deep = called_so = names = 0
example = None
for key in ours.keys() & perfs.keys():
    times = [e[0] for e in perfs[key]]
    for t, frames in ours[key]:
        at = bisect.bisect_left(times, t - 5e-6)
        if at == len(times) or abs(times[at] - t) > 6e-6 or (at + 1 < len(times) and times[at + 1] - times[at] < 12e-6):
            continue
        mine, its = user(frames), user(perfs[key][at][1])
        if len(its) < 2:
            continue
        met += 1
        deep += len(mine) > 3
        if any(within([f[:2] for f in few], [f[:2] for f in mine]) for few in (its, its[:-1])):
            good += 1
        elif not example:
            example = key, t, mine, its
        called = collections.defaultdict(list) # two of a file may be at the same place of two pages
        for f in mine:
            called[f[:2]].append(f[2].split("+0x")[-1])
        for f in its:
            if f[:2] in called and not any("[unknown]" in n for n in [f[2]] + called[f[:2]]):
                names += 1
                called_so += f[2].split("+0x")[-1] in called[f[:2]]
if met < 200 or deep < 50:
    print(met, "events of a program met,", deep, "of them with more than three frames")
if good < 0.95 * met:
    print("frames of perf are ours, too, in", good, "of", met, "events; not in", example)
if called_so < 0.95 * names:
    print("of", names, "names", called_so, "are of the same place")
'

unwound_as_perf_does() {
	with_our_root >here &
	local roots=$!
	"$CDICT" record -q --call-graph dwarf,4096 -e $events --keep-perf-data p.data -o x.cdict 2>rec.err &
	local pid=$!
	ready $pid
	load
	sleep 1.2
	kill -INT $pid
	wait $pid || cat rec.err
	kill $roots
	[ -z "$(cat rec.err)" ] || cat rec.err
	local fields=comm,pid,tid,time,event,ip,sym,symoff,dso
	perf script --guest-code --no-inline -F $fields -i p.data >theirs 2>/dev/null
	"$CDICT" script -q --max-loss 100 -F $fields x.cdict >ours
	python3 -c "$python_unwound" ours theirs here
	"$CDICT" info -q --max-loss 100 --verify x.cdict | grep -q '^state: whole' || echo "it is not whole"
}

# Without symbols: reported once, and the addresses stay.
without_symbols() {
	local restrict
	restrict=$(cat /proc/sys/kernel/kptr_restrict)
	[ -w /proc/sys/kernel/kptr_restrict ] && echo 2 >/proc/sys/kernel/kptr_restrict
	"$CDICT" record -g -e $events -o x.cdict -- perf bench sched pipe -l 300 >/dev/null 2>rec.err
	echo "$restrict" >/proc/sys/kernel/kptr_restrict
	[ "$(grep -c "cannot resolve kernel symbols: the kernel hides its addresses" rec.err)" = 1 ] || cat rec.err
	[ "$(frames x.cdict | grep -c '^	ffff.* \[unknown\] (\[unknown\])$')" -gt 300 ] || frames x.cdict | head
}

refused() {
	for how in lbr nonsense dwarfs; do
		"$CDICT" record --dry-run --call-graph $how 2>rec.err
		[ $? -eq 129 ] && grep -q "call-graph takes fp or dwarf\[,SIZE\], not '$how'" rec.err || cat rec.err
	done
	for how in dwarf, dwarf,0 dwarf,-1 dwarf,65529 dwarf,99999999999999999999 dwarf,4k; do
		"$CDICT" record --dry-run --call-graph $how 2>rec.err
		[ $? -eq 129 ] && grep -q "dwarf takes 1 to 65528 bytes of the stack, not '${how#dwarf,}'" rec.err || cat rec.err
	done
	"$CDICT" record --dry-run --call-graph dwarf,65528 || echo "the most is refused"
	"$CDICT" record --dry-run --kernel-callchains --user-callchains 2>rec.err
	[ $? -eq 129 ] || cat rec.err
}

may_record || exit 77
if ldconfig -p | grep -q 'libdw\.so\.1'; then
	run names_are_those_that_perf_gives names_are_perf_s
	if [[ $(uname -m) =~ ^(x86_64|aarch64|s390x)$ ]]; then
		run by_unwind_tables_perf_s_frames_are_found unwound_as_perf_does
	else
		skip by_unwind_tables_perf_s_frames_are_found "this machine's registers are not known"
	fi
else
	skip names_are_those_that_perf_gives "libdw is not installed"
	skip by_unwind_tables_perf_s_frames_are_found "libdw is not installed"
fi
run lines_are_as_perf_script_prints_them lines_as_perf_s
run the_kernel_s_part_or_the_program_s one_part_alone
run every_file_has_the_stacks_of_its_events every_file_has_its_own
if echo "$(cat /proc/sys/kernel/kptr_restrict)" 2>/dev/null >/proc/sys/kernel/kptr_restrict; then
	run hidden_symbols_are_reported_once without_symbols
else
	skip hidden_symbols_are_reported_once "kernel.kptr_restrict may not be changed here"
fi
run other_ways_are_refused refused
