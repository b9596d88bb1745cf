#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# needs: python3 jq
# Guests that do not belong to the host's recording, or whose clock is no line: each is refused with the reason, and nothing is written.
set -u
. "$TOP/tests/oracle/_lib.sh"
cd "$(mktemp -d)" || exit 1

made() { "$MKPERF" --formats "$DATA/formats" -o made.data "$1.trace" && "$CDICT" convert -q -i made.data -o "$1.cdict"; }
cat >change.py <<'END_OF_CHANGE'
import re, sys
begin, by = map(int, sys.argv[1:])
for line in sys.stdin:
    m = re.match(r"( *\d+ \[\d+\] )(\d+)\.(\d{9})(:.*)", line)
    if m:
        t = int(m[2] + m[3])
        t += by if t >= begin else 0
        line = "%s%d.%09d%s\n" % (m[1], t // 10**9, t % 10**9, m[4])
    sys.stdout.write(line)
END_OF_CHANGE
# changed NAME FROM_NS NS: web's recording, with times from FROM_NS on later by NS
changed() { python3 change.py "$2" "$3" <web.trace >"$1.trace" && made "$1"; }
# refused NAME TEXT GUEST...: the join fails with a line that has TEXT
refused() {
	"$CDICT" join "${host:-host.cdict}" "${@:3}" -o no.cdict 2>err
	verdict "$1" "$({
		[ $? -ne 2 ] && [ ! -e no.cdict ] || echo "no.cdict was written"
		grep -q "$2" err && [ "$(wc -l <err)" = 1 ] || cat err
	} 2>&1)"
	rm -f no.cdict
}
python3 "$TOP/tests/tools/make/mkguests.py" --seconds 0.3 --drift 0 --offset 1000000000 . && made host && made web || exit 1

changed stepped 79150000000 10000000
refused a_clock_that_steps_by_10_ms_midway_is_refused 'no line fits .* misses the next one by [0-9.]* ms' 1000=stepped.cdict
# joined GUEST TEXT: the guest is joined, with a line that has TEXT, as far as its clock is a line: there the figures of its tasks are those
# by the clock that web has
joined() {
	"$CDICT" join "${host:-host.cdict}" "1000=$1.cdict" -o part.cdict 2>err || cat err
	grep -q "found as given; .* clock: fit, .*$2" err || cat err
	for file in part true; do
		"$CDICT" vm 1000 $file.cdict --inside --json -q --max-loss 100 --time "$3" | jq -c '.guest_tasks[] | [.tid, .run_ns, .stolen_ns, .busy_ns, .away_ns, .sleep_ns + .block_ns, .unknown_ns]' >$file.json
	done
	python3 - "$("$CDICT" info --json part.cdict | jq '.guests[0].clock_error_ns')" <<'END_OF_NEAR'
import json, sys
part, true = [[json.loads(line) for line in open(name)] for name in ("part.json", "true.json")]
error = int(sys.argv[1])
if len(true) < 5 or not 0 < error < 50000: print(len(true), "tasks, error", error)
by_tid = {r[0]: r for r in part}
for r in true:
    mine = by_tid.get(r[0], [0] * 7)
    if max(abs(a - b) for a, b in zip(mine, r)) > 200 * error: print(mine, "not", r)
END_OF_NEAR
}
"$CDICT" join -q host.cdict 1000=web.cdict --clock 1000000000 -o true.cdict
certain='by this clock its recording begins .* before the host.s and ends .* after it: only what it has in between is certain'
changed rebooted 79150000000 -78000000000
verdict of_a_guest_that_rebooted_the_part_of_one_boot_is_joined "$(joined rebooted "$certain" 80.01,80.14)"
# its threads leave guest mode for good at 80.15 s; on the other host its clock is 5 s ahead
python3 -c '
import re, sys
for line in sys.stdin:
    m = re.match(r" *(1001|1002) \[\d+\] (\d+)\.(\d{9}): kvm:", line)
    if not m or int(m[2] + m[3]) < 80_150_000_000: sys.stdout.write(line)' <host.trace >away.trace && made away
changed moved 79150000000 5000000000
verdict of_a_guest_that_migrated_away_the_part_before_is_joined "$(host=away.cdict joined moved "$certain" 80.01,80.14)"
# it arrives at 80.15 s, as another process with threads of its own; the files have the same name for both
python3 -c '
import re, sys
for line in sys.stdin:
    m = re.match(r" *\d+ \[\d+\] (\d+)\.(\d{9}):", line)
    if m and int(m[1] + m[2]) >= 80_150_000_000: line = re.sub(r"\b100([12])\b", r"310\1", line)
    sys.stdout.write(line)
    if line.startswith("proc 2000 "): print("proc 3100 qemu-system-x86\nproc 3100/3101 CPU 0/KVM\nproc 3100/3102 CPU 1/KVM")' <host.trace >here.trace && made here
"$CDICT" join here.cdict 3100=web.cdict -o here-both.cdict 2>err || cat err >&2
verdict of_a_guest_whose_threads_change_midway_the_part_of_its_threads_is_known "$(
	grep -q '3100, found as given; 2 vCPUs .* clock: fit' err || cat err
	for part in 'before 80.02,80.14' 'after 80.16,80.29'; do
		set -- $part
		for file in here-both true; do
			"$CDICT" tasks --guest $file.cdict --json -q --max-loss 100 --time "$2" | jq -c '[.guest_tasks[] | .run_ns + .stolen_ns + .busy_ns + .away_ns] | add' >$file.ns
		done
		awk -v part="$1" 'NR == 1 { mine = $1 } NR == 2 { true = $1; if (part == "before" ? mine > 0 : mine < true * 0.98 || mine > true * 1.02 || !true) print part, mine, "ns, not", true }' here-both.ns true.ns
	done)"
# paused from 80.15 s on for 40 ms: its vCPUs do not enter, its TSC goes on, its own clock (kvm-clock) may stop
python3 -c '
import re, sys
by = int(sys.argv[1])
for line in sys.stdin:
    m = re.match(r"( *\d+ \[\d+\] )(\d+)\.(\d{9})(:.*)", line)
    if m:
        t = int(m[2] + m[3])
        t += 40_000_000 if t >= by else 0
        line = "%s%d.%09d%s\n" % (m[1], t // 10**9, t % 10**9, m[4])
    sys.stdout.write(line)' 80150000000 <host.trace >paused-host.trace && made paused-host
changed paused 79150000000 40000000
verdict of_a_paused_guest_whose_clock_went_on_the_pause_is_no_time_in_the_guest "$(
	"$CDICT" join paused-host.cdict 1000=paused.cdict -o paused-both.cdict 2>err || cat err
	grep -q 'clock: fit, within' err || cat err
	"$CDICT" tasks --guest paused-both.cdict --json -q --max-loss 100 --time 80.1501,80.1899 | jq -e '[.guest_tasks[].run_ns] | add < 2000000' >/dev/null || "$CDICT" tasks --guest paused-both.cdict -q --time 80.1501,80.1899)"
host=paused-host.cdict refused a_paused_guest_whose_clock_stopped_is_refused 'no line fits .* misses the next one by [0-9.]* ms' 1000=web.cdict
refused a_guest_that_does_not_overlap_the_host_is_refused 'the recordings do not overlap: it ran from 879' 1000=web.cdict --clock 800000000000
refused a_VM_that_the_host_never_saw_is_refused "no vCPU of a VM 'mail'" mail=web.cdict
"$CDICT" join -q host.cdict 1000=web.cdict --clock 1000000000 -o both.cdict
host=both.cdict refused a_VM_is_joined_once 'is already joined' 1000=web.cdict --clock 1000000000
refused a_joined_recording_is_no_guest 'it is a joined recording itself' 1000=both.cdict --clock 1000000000
pair=$DATA/guest-pair
host=$pair/host.cdict refused another_VM_than_that_of_the_UUID_is_refused "its UUID is that of 'instance-0000001b', not of 'instance-0000001c'" \
	instance-0000001c="$pair/instance-0000001b.cdict"

# what cdict record stores of both machines
info() { python3 "$TOP/tests/tools/make/addinfo.py" "$@"; }
id=4c4c45440043421080548ab4c04f5632 uuid=4c4c4544-0043-4210-8054-8ab4c04f5632
printf 'tid,libvirt-instance,role,uuid,group-type,group-id,task-name\n1001,web,vcpu0,%s,,,\n1002,web,vcpu1,%s,,,\n' $uuid $uuid >map.csv
"$CDICT" annotate -q host.cdict --map map.csv -o named.cdict && info named.cdict named-host.cdict host.boot_id=11111111-2222-3333-4444-555555555555
info web.cdict by-id.cdict host.machine_id=$id host.boot_id=11111111-2222-3333-4444-666666666666
info web.cdict other-id.cdict host.machine_id=${id/4c/5d} host.dmi_uuid=00000000-0043-4210-8054-8ab4c04f5632
info web.cdict own.cdict host.machine_id=$id host.boot_id=11111111-2222-3333-4444-555555555555
verdict a_guest_is_found_by_its_machine_id "$("$CDICT" join named-host.cdict =by-id.cdict -o by-id.both 2>err; grep -q 'by-id.cdict: web, found by its machine id; .* clock: fit' err || cat err)"
verdict a_guest_with_other_ids_is_found_by_its_events "$("$CDICT" join named-host.cdict =other-id.cdict -o other-id.both 2>err; grep -q 'other-id.cdict: web, found by its events; ' err || cat err)"
host=named-host.cdict refused a_recording_of_the_host_itself_is_refused 'it was recorded on the host itself: both have the boot id 11111111-2222-3333-4444-555555555555' =own.cdict
# the offset of the guest's TSC changed while the host recorded: it is not used, although both clocks are known by the TSC
python3 - <<'END_OF_TSC' >tsc.sh
host = "clock.time_conv=0 1 0", "guests.tsc_offset=1000 0 -1000000000\n1000 1 -1000000000", "guests.vcpus=1000 0 1001\n1000 1 1002"
import shlex
print("info host.cdict tsc.cdict", *map(shlex.quote, host))
print("info host.cdict tsc-changed.cdict", *map(shlex.quote, host + ("guests.tsc_offset_end=1000 0 -1400000000\n1000 1 -1400000000",)))
print("info host.cdict tsc-wrong.cdict", *map(shlex.quote, (host[0], host[1].replace("-1000000000", "-1010000000"), host[2])))
print("info web.cdict tsc-web.cdict", shlex.quote("clock.time_conv=0 1 0"))
END_OF_TSC
. ./tsc.sh
verdict the_clock_is_the_TSC_if_its_offset_is_known "$("$CDICT" join tsc.cdict 1000=tsc-web.cdict -o tsc.both 2>err; grep -q 'clock: tsc, within 1.0 us' err || cat err)"
verdict an_offset_of_the_TSC_that_changed_is_not_used "$("$CDICT" join tsc-changed.cdict 1000=tsc-web.cdict -o tsc.both 2>err; grep -q 'clock: fit, within' err || cat err)"
host=tsc-wrong.cdict refused an_offset_of_the_TSC_that_is_10_ms_wrong_is_refused 'its clocks by events and by the TSC are 1[0-9.]* ms apart; give --clock' 1000=tsc-web.cdict

# 30 guests without identities on one host
mkdir many && cd many && python3 "$TOP/tests/tools/make/mkmany.py" 30 . && made host || exit 1
guests=()
for i in {0..29}; do made "$i" && guests+=("=$i.cdict"); done
verdict thirty_guests_are_found_by_their_events "$(
	CDICT=$CDICT python3 "$TOP/tests/tools/check/bounded.py" --one 128 6 join "$PWD/host.cdict" "${guests[@]/#=/=$PWD/}" -o "$PWD/all.cdict"
	"$CDICT" info --json all.cdict | python3 -c '
import json, sys
for i, g in enumerate(json.load(sys.stdin)["guests"]):
    at, to = map(int, g["clock_knots"].split()[0].split(":"))
    if g["vm"] != str(1000 * (i + 1)) or abs(to - at - (i + 1) * 10**9) > g["clock_error_ns"]: print(i, g)
assert i == 29')"
