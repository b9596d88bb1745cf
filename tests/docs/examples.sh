#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The commands under EXAMPLES in the manual pages and in each command's help work: this test runs them on a recording and a
# mapping file with the names that they use. Other tests run those for another host, for perf and for live recordings.
set -u
. "$TOP/tests/oracle/_lib.sh"

export SHA=1a2b3c4 CDICT_STORE=jobs
cd "$(mktemp -d)" || exit 1
mkdir bin && ln -s "$CDICT" "$BUILD/tests/bench/_measure/diskread" bin && PATH=$PWD/bin:$PATH
for file in run.data perf.data; do cp "$DATA/kvm-small.data" $file; done
ln -s "$DATA/formats" .
for file in tmap.csv map.csv new.csv; do cp "$DATA/kvm-small.map.csv" $file; done
mkdir traces && head -n 8 "$DATA/job.pfw" | gzip | tee traces/a.pfw.gz >traces/b.pfw.gz
"$CDICT" convert -q -i run.data -o named.cdict && "$CDICT" annotate -q named.cdict --map map.csv
# the names that the pages use are those of the capture's VMs
instance=$(sed -n 2p map.csv | cut -d, -f2)
web=$(sed -n 's/^1053,\([^,]*\),vhost,.*/\1/p' map.csv) # one whose vhost ran
pid=$(sed -n 's/^\([0-9]*\),.*,emulator,.*/\1/p' map.csv | head -n 1)
mkdir -p saved/proc/700/task/700 saved/proc/700/task/701 saved/qemu
printf 'qemu-system-x86_64\0-name\0guest=instance-0000002a,debug-threads=on\0' >saved/proc/700/cmdline
echo qemu-system-x86 | tee saved/proc/700/comm >saved/proc/700/task/700/comm
echo 'CPU 0/KVM' >saved/proc/700/task/701/comm

# inputs of flame graphs: a capture with stacks, made by perf, folded stacks, logs of calls
if have_perf; then
	perf script --dlfilter "$BUILD/cdict-dlfilter.so" --dlarg out=stacks.cdict --dlarg quiet=1 -i "$DATA/kvm-callchain.data" >/dev/null 2>&1
	cat >wakers.trace <<'TRACE'
cpus 1
proc 700 qemu-system-x86
proc 700/701 qemu-worker
sample sched:sched_switch callchain
sample sched:sched_waking callchain

701 [000] 10.000100: sched:sched_waking: pid=700 target_cpu=0
701 [000] 10.000200: sched:sched_switch: prev_pid=701 prev_state=S next_pid=700
700 [000] 10.000300: sched:sched_switch: prev_pid=700 prev_state=S next_pid=0
TRACE
	"$MKPERF" -o wakers.data wakers.trace
	perf script --dlfilter "$BUILD/cdict-dlfilter.so" --dlarg out=wakers.cdict --dlarg quiet=1 -i wakers.data >/dev/null 2>&1
fi
echo '{"iops": 1000, "lat": [1, 2]}' >fio.json
echo 'main;work 3' | tee stacks.folded >before.folded
echo 'SELECT count(*) FROM sched_switch;' >report.sql
git=$(command -v git)
[ -z "$git" ] || { git init -q . && git symbolic-ref HEAD refs/heads/main && git -c user.name=x -c user.email=x@y commit -q --allow-empty -m one; } || exit 1
mkdir logs && echo '+,main,work,1,100,20,10' >logs/system-test-1-stdout.log

# a recording whose recorder was killed, and another of that kernel; system calls of QEMU
"$MKPERF" --kill -o killed.data "$DATA/two-vcpus.trace" && "$MKPERF" -o formats.data "$DATA/two-vcpus.trace"
sed 's/^proc 100 .*/proc 100 qemu-system-x86/; /LOST/d' "$DATA/syscalls.trace" >syscalls.trace
"$MKPERF" -o syscalls.data syscalls.trace && "$CDICT" convert -q -e '*:*' -i syscalls.data -o syscalls.cdict

# a host and two guests
cp "$DATA/guest-pair/host.cdict" . && cp "$DATA/guest-pair/instance-0000001b.cdict" guest1.cdict
for file in guest guest2; do cp "$DATA/guest-pair/instance-0000001c.cdict" $file.cdict; done
"$CDICT" join -q host.cdict instance-0000001c=guest.cdict -o both.cdict || exit 1

mkdir dumps && cp named.cdict dumps/20261128T015903.120Z_web01_latency-31.234ms.cdict

# of_page PAGE - the lines of its examples as they are typed
of_page() {
	sed -n '/^\.SH EXAMPLES/,/^\.SH [^E]/p' "$1" | sed -e ':a' -e '/\\e$/{N;s/\\e\n *//;ba' -e '}' | grep -E '^(\.B )?(cdict|head) ' |
		sed -e 's/^\.B //' -e 's/\\-/-/g' -e 's/\\~/ /g' -e "s/\\\\(aq/'/g" -e 's/\\(dq/"/g' -e 's/\\f.//g' -e 's/\\e/\\/g'
}
of_help() { "$CDICT" help "$1" | sed -n '/^Examples/,$s/^  \([a-z]\)/\1/p'; }

run_all() { # NAME, lines on stdin
	local name=$1 line status n=0 wrong=
	while read -r line; do
		case $line in
		*ssh\ * | *'cdict record'* | *'cdict push'*' -e '* | *'cdict sweep --record'* | *'cdict top'* | *perf\ record* | *perf\ script* | *--openstack* | *--os-* | *--open\ * | *'cdict identify -o'* | *redis://*) continue ;;
		esac
		if [[ $line == *--branch* && -z $git ]]; then continue; fi
		if [[ $line == *jq* ]] && ! command -v jq >/dev/null; then continue; fi
		for file in run record before after base new base-1 base-2 new-1 new-2 big tuesday monday; do cp named.cdict $file.cdict; done
		rm -rf jobs killed.cdict
		[[ $line != *--job* && $line != *--spool* && $line != *'job show'* && $line != *'job start'* && $line != *'job remove'* ]] || cdict job create 2001
		[[ $line != *before,after* ]] || for job in before after; do cdict job create $job && cdict push -q --job $job $job.cdict; done
		[[ $line != *--spool* ]] || for store in run.cdict.spool; do cdict job create --store $store 2001 && cdict push -q --store $store --job 2001 run.cdict; done
		[[ $line != 'cdict pull '* ]] || cdict push -q --job 2001 --with-file run.cdict
		case $line in
		'cdict flame'*run.cdict*wakeups*) cp wakers.cdict run.cdict 2>/dev/null || continue ;;
		'cdict flame'*run.cdict*) cp stacks.cdict run.cdict 2>/dev/null || continue ;;
		*syscall*) cp syscalls.cdict run.cdict ;;
		esac
		# the service's folder and configuration are those of the host
		line=${line/cdict flight list/cdict flight list -d dumps} line=${line/cdict flight show/cdict flight show -d dumps}
		line=${line/cdict flight check/cdict flight check -c "$TOP/doc/packaging/flight/flight.conf" || exit; echo valid}
		line=${line/vm 1044 run.cdict 1044=guest/vm instance-0000001c host.cdict instance-0000001c=guest}
		line=${line//Firewall.05/$instance} line=${line/--vm Firewall/--vm $instance} line=${line/--vm web /--vm $web }
		n=$((n + 1))
		timeout 60 bash -o pipefail -c "${line/--vm 1044/--vm $pid}" >out 2>err </dev/null
		status=$?
		# the capture is too short for limits, and has no such VM
		[[ $line == *--max-delay* || $line == *--fail-if* ]] && grep -q 'cannot judge' err && continue
		# the part that was kept, with a warning
		[[ $line == *killed.data* && $status = 2 && -s killed.cdict ]] && continue
		[ $status = 0 ] && { [ -s out ] || [ -s err ] || [[ $line == *'cdict job '* || $line == *-o\ * || $line == *'cdict report'* || $line == *secret* || $line == *annotate* || $line == *damaged* ]]; } ||
			wrong+="$line: status $status $(head -n 2 err)"$'\n'
	done
	[ $n = 0 ] || verdict "$name" "$wrong"
}
for page in "$TOP"/doc/cdict*.1; do
	of_page "$page" >lines
	[ -s lines ] || continue
	run_all "the_examples_of_$(basename "$page")" <lines
done
for command in $("$CDICT" help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p'); do
	of_help "$command" >lines
	[ -s lines ] || continue
	run_all "the_examples_of_help_$command" <lines
done
