#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 1800
# waits: 1
#
# Pictures of every view, stored in build/screens for inspection: four tasks, four hundred, a large host, VMs with their names, loss, a
# comparison, stacks, a job; printed; as seen with colour blindness. A sample of sizes and themes; SCREENS=all: all of them.
set -u
. "$TOP/tests/page/_lib.sh"
need node chromium
screens=$BUILD/screens
mkdir -p "$screens"
ln -sfn "$DATA/formats" formats

# 20 VMs of 4 vCPUs and 320 tasks of six programs take turns on 8 CPUs, 100 us each.
many() {
	awk 'BEGIN {
		print "cpus 8\nnuma 0-3 4-7\ndefault kvm:kvm_exit isa=1\ndefault sched:sched_switch prev_prio=120 next_prio=120"
		split("nginx postgres ceph-osd ovs-vswitchd python3 sshd", program, " ")
		for (i = 0; i < 400; i++) {
			tid = 1000 + i
			if (i < 80) {
				if (i % 4 == 0) printf "proc %d qemu-system-x86\n", 5000 + i / 4
				printf "proc %d/%d CPU %d/KVM\n", 5000 + int(i / 4), tid, i % 4
			} else
				printf "proc %d %s\n", tid, program[1 + i % 6]
		}
		for (slot = 0; slot < 400; slot++)
			for (cpu = 0; cpu < 8; cpu++) {
				t = slot * 100
				i = slot % 50 * 8 + cpu
				was = slot ? 1000 + (slot + 49) % 50 * 8 + cpu : 0
				pid = !was ? 0 : was < 1080 ? 5000 + int((was - 1000) / 4) "/" was : was
				printf "%s [%03d] 70.%06d: sched:sched_switch: prev_pid=%d prev_state=%s next_pid=%d\n", pid, cpu, t, was, slot % 3 ? "R" : "S", 1000 + i
				if (i >= 80) continue
				task = 5000 + int(i / 4) "/" 1000 + i
				printf "%s [%03d] 70.%06d: kvm:kvm_entry: vcpu_id=%d\n", task, cpu, t + 5, i % 4
				printf "%s [%03d] 70.%06d: kvm:kvm_exit: vcpu_id=%d exit_reason=%s\n", task, cpu, t + 50, i % 4, i % 2 ? "IO_INSTRUCTION" : "MSR_WRITE"
				printf "%s [%03d] 70.%06d: kvm:kvm_entry: vcpu_id=%d\n", task, cpu, t + 60 + i % 9, i % 4
				printf "%s [%03d] 70.%06d: kvm:kvm_exit: vcpu_id=%d exit_reason=%s\n", task, cpu, t + 90, i % 4, slot % 3 ? "EXTERNAL_INTERRUPT" : "HLT"
			}
	}' >many.trace
	"$MKPERF" -o many.data many.trace && "$CDICT" convert -q -i many.data -o many.cdict
}

"$MKPERF" -o few.data "$DATA/neighbours.trace" && "$CDICT" convert -q -i few.data -o few.cdict && report few.cdict || exit 1
many && report many.cdict || exit 1
"$BUILD/tests/tools/make/mkswitches" formats host.cdict 200000 256 && report host.cdict || exit 1
"$CDICT" convert -q -i "$DATA/kvm-libvirt-cgroups.data" -o run.cdict && report run.cdict || exit 1
"$CDICT" convert -q -i "$DATA/kvm-small.data" -o small.cdict && "$CDICT" annotate -q small.cdict --map "$DATA/kvm-small.map.csv" && report small.cdict || exit 1
report small.cdict run.cdict --label before,after -o both.html || exit 1
report "$TOP/tests/oracle/format/v1.0-loss.cdict" -o loss.html || exit 1
stacks=()
if command -v perf >/dev/null && [[ ${INSTRUMENT-} != @(asan|tsan) ]]; then
	perf script --dlfilter "$BUILD/cdict-dlfilter.so" --dlarg out=stacks.cdict -i "$DATA/kvm-callchain.data" >/dev/null 2>perf.err
	report stacks.cdict && "$CDICT" flame -q stacks.cdict -o flame.html || exit 1
	stacks=(stacks=stacks.html=flame flame=flame.html=)
else
	skip every_view_of_stacks_is_drawn_whole "perf is not installed, or cannot load a sanitizer"
fi
export CDICT_STORE=$PWD/store
"$CDICT" job create 2001 --bucket 10ms && "$CDICT" push -q --job 2001 small.cdict && "$CDICT" push -q --job 2001 --host compute-02 run.cdict &&
	"$CDICT" report -q --job 2001 --no-host-pages -o job.html || exit 1

all=vcpus,exits,tasks,coremap,switches,cores
node "$LIB/screens.mjs" "$screens" \
	"few=few.html=$all" \
	"many=many.html=$all,vcpus&fold=tasks,tasks&fold=tasks,coremap&fold=tasks,cores&paint=group,cores&paint=state" \
	"host=host.html=tasks,coremap,switches,cores" \
	"run=run.html=$all,tasks&fold=groups,coremap&fold=groups,cores&paint=group,cores&paint=state" \
	"small=small.html=$all" \
	"both=both.html=compare,compare&compare=exits,compare&compare=tasks,compare&compare=coremap,vcpus" \
	"loss=loss.html=vcpus,tasks,cores" \
	"job=job.html=" "${stacks[@]}"

# The result of a plain chromium --screenshot: the first view, painted when the page has loaded.
plain() {
	local name=$screens/plain.png
	rm -f "$name"
	chromium_once --screenshot="$name" run.html >chromium.out 2>&1 || tail -n 3 chromium.out
	[ "$(stat -c %s "$name" 2>/dev/null || echo 0)" -ge 15000 ] || echo "the picture is nearly blank"
}
verdict a_plain_screenshot_shows_the_first_view "$(plain)"
