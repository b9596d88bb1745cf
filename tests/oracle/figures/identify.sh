#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# uninstrumented: libvirt's connections crash in the thread sanitizer, which also adds a thread to the fake QEMU
# needs: jq xmllint
#
# Compares cdict identify with other sources about the same hosts: libvirt's state files and control
# groups, the vCPU numbers in the recording's KVM events, libvirt's library, the live /proc.
set -u
. "$TOP/tests/oracle/_lib.sh"

proctree=$BUILD/tests/tools/make/proctree
fakeqemu=$BUILD/tests/tools/make/fakeqemu
identity=$DATA/identity
[ -z "$SHARED" ] || [ ! -d "$SHARED/captures/kvm/identity" ] || identity=$SHARED/captures/kvm/identity

# identify OPTIONS... - its CSV without the header to map.csv, messages to err; its status
identify() {
	timeout -k 5 600 "$CDICT" identify "$@" >map.all 2>err </dev/null
	local status=$?
	sed 1d map.all >map.csv
	return $status
}

# ---- real hosts ----------------------------------------------------------------------------------

# vcpus_of_state DIR - "TID vcpuN" from libvirt's state files, read by xmllint
vcpus_of_state() {
	local file i n
	for file in "$1"/*.xml; do
		n=$(xmllint --xpath 'count(/domstatus/vcpus/vcpu)' "$file")
		for ((i = 1; i <= n; i++)); do
			xmllint --xpath "concat(/domstatus/vcpus/vcpu[$i]/@pid, ' vcpu', \
				/domstatus/vcpus/vcpu[$i]/@id)" "$file"
		done
	done
}

# vcpus_of_events FILE - "TID vcpuN" from the vcpu_id of every entry and exit of a recording
vcpus_of_events() {
	"$CDICT" convert -q --max-loss 100 -i "$1" -o events.cdict -e 'kvm:kvm_entry,kvm:kvm_exit' \
		>/dev/null 2>&1
	"$CDICT" script -q --max-loss 100 events.cdict |
		sed -nE 's/^ *([0-9]+) .* kvm:kvm_(entry|exit): *vcpu ([0-9]+)[ ,].*/\1 vcpu\3/p' | sort -u
}

# expected SNAPSHOT VCPUS - "tid,instance,role,uuid" of every thread that belongs to QEMU
expected() {
	awk -v vcpus="$2" '
		BEGIN { while ((getline line <vcpus) > 0) { split(line, f, " "); vcpu[f[1]] = f[2] } }
		/^== pid / { pid = $3 }
		/^cmdline: / {
			match($0, / -name guest=[^, ]*/); name[pid] = substr($0, RSTART + 13, RLENGTH - 13)
			match($0, / -uuid [0-9a-f-]*/); uuid[pid] = substr($0, RSTART + 7, RLENGTH - 7)
		}
		/^thread / { split($0, f, "\t"); split(f[1], t, " "); own[t[2]] = pid; comm[t[2]] = f[2] }
		/^== all threads/ { all = 1; next }
		all && ($1 in name) && !($2 in own) { own[$2] = $1; comm[$2] = $3 }
		all && $3 ~ /^(vhost-|kvm-pit\/|kvm-nx-lpage-recovery-)[0-9]+$/ {
			n = split($3, f, /[-\/]/)
			if (f[n] in name) { own[$2] = f[n]; role[$2] = n > 3 ? "kvm-nx" : n > 2 ? "kvm-pit" : "vhost" }
		}
		END {
			for (tid in own) {
				r = tid in role ? role[tid] : tid in vcpu ? vcpu[tid] : \
					comm[tid] == "worker" ? "worker" : "emulator"
				print tid "," name[own[tid]] "," r "," uuid[own[tid]]
			}
		}' "$1" | sort
}

# state_of NAME - the folder of state files of the same run, if there is one
state_of() {
	case $1 in
	kvm-libvirt-run2) echo "$identity/libvirt-run2/run-libvirt-qemu" ;;
	kvm-libvirt*) [ -d "$identity/libvirt/run-libvirt-qemu" ] &&
		echo "$identity/libvirt/run-libvirt-qemu" || echo "$identity/libvirt" ;;
	esac
}

recording_of() {
	local dir
	for dir in "$DATA" "$identity/.."; do
		[ ! -f "$dir/$1.data" ] || { echo "$dir/$1.data"; return; }
	done
}

for snapshot in "$identity"/*.proc.txt; do
	name=$(basename "$snapshot" .proc.txt)
	test=the_right_name_for_every_thread_of_$name
	state=$(state_of "$name")
	recording=$(recording_of "$name")
	rm -rf tree
	"$proctree" "$snapshot" tree
	[ -z "$recording" ] || vcpus_of_events "$recording" >vcpus.events
	if [ -n "$state" ]; then
		vcpus_of_state "$state" | sort >vcpus
	elif [ -s vcpus.events ]; then
		cp vcpus.events vcpus
	else
		# the recording is not there
		sed -n 's/^thread \([0-9]*\)\tCPU \([0-9]*\)\/KVM\t.*/\1 vcpu\2/p' "$snapshot" >vcpus
	fi
	expected "$snapshot" vcpus >want
	identify --proc-root tree
	status=$?
	cut -d, -f1-4 map.csv | sort >got
	wrong=$(diff want got)
	[ -s want ] || wrong+="nothing is expected"
	[ $status = 0 ] || wrong+="status $status: $(cat err)"
	verdict "$test" "$wrong"

	if [ -n "$recording" ] && [ -s vcpus.events ]; then
		# every thread that ran a guest is that vCPU
		verdict "kvms_events_agree_about_the_vcpus_of_$name" \
			"$(awk -F, '{ print $1 " " $3 }' map.csv | sort | comm -13 - vcpus.events)"
	fi
	rm -f vcpus.events
	[ -n "$state" ] || continue
	# with libvirt's word, and with nothing but it: all comms and groups taken away
	identify --proc-root tree --libvirt-state "$state"
	cut -d, -f1-4 map.csv | sort >got
	named=$(cut -d, -f7 map.csv | grep -c .)
	wrong=$(diff want got)
	[ "$named" = "$(wc -l <want)" ] || wrong+="$named of $(wc -l <want) threads have Nova's name"
	verdict "libvirts_state_agrees_about_$name" "$wrong"
	for comm in tree/*/task/*/comm; do
		pid=${comm#tree/} && pid=${pid%%/*}
		[ -s "tree/$pid/cmdline" ] && echo qemu-system-x86 >"$comm"
	done
	rm -f tree/*/cgroup tree/*/task/*/cgroup
	identify --proc-root tree --libvirt-state "$state"
	verdict "libvirts_state_alone_gives_the_vcpus_of_$name" \
		"$(awk -F, '$3 ~ /^vcpu/ { print $1 " " $3 }' map.csv | sort | diff vcpus -)"
done

# ---- libvirt's library ---------------------------------------------------------------------------

# one VM, as libvirt's test driver knows it
fake_tree() { # UUID NAME
	rm -rf tree
	mkdir -p tree/700/task/700 tree/700/task/701
	printf 'qemu-system-x86_64\0-name\0guest=%s,debug-threads=on\0-uuid\0%s\0' "$2" "$1" >tree/700/cmdline
	echo qemu-system-x86 | tee tree/700/comm >tree/700/task/700/comm
	echo 'CPU 0/KVM' >tree/700/task/701/comm
}
uuid=6f1c2b9e-3d47-4b0a-9c55-0a4f1e7d2c01
fake_tree $uuid instance-0000002a
cat >node.xml <<END
<node><domain type='test'><name>instance-0000002a</name><uuid>$uuid</uuid><title>a title</title><metadata>
<nova:instance xmlns:nova="http://openstack.org/xmlns/libvirt/nova/1.1"><nova:name>Firewall &amp; co, "new"</nova:name>
<nova:flavor name="m1.big"/><nova:owner><nova:project uuid="0">tenant</nova:project></nova:owner></nova:instance>
</metadata><memory>65536</memory><vcpu>1</vcpu><os><type>hvm</type></os></domain></node>
END
has_libvirt() { ldconfig -p 2>/dev/null | grep -q 'libvirt\.so\.0 '; }
if has_libvirt; then
	identify --proc-root tree --libvirt "test://$PWD/node.xml"
	status=$?
	cat >want <<END
700,instance-0000002a,emulator,$uuid,,,"Firewall & co, ""new""",,tenant
701,instance-0000002a,vcpu0,$uuid,,,"Firewall & co, ""new""",,tenant
END
	verdict the_daemon_is_asked_for_name_and_project \
		"$([ $status = 0 ] || echo "status $status: $(cat err)"; diff want map.csv)"
	identify --proc-root tree --libvirt "test://$PWD/node.xml" --format json
	verdict the_daemon_is_asked_for_title_and_flavor \
		"$(jq -e '.vms[0] | .title == "a title" and .flavor == "m1.big" and .libvirt' map.all 2>&1 |
			grep -vx true)"

	fake_tree 6695eb01-f6a4-8304-79aa-97f2502e193f test
	identify --proc-root tree --libvirt test:///default --format json
	verdict the_test_drivers_own_domain_is_found \
		"$(jq -e '.vms[0] | .libvirt and .instance == "test"' map.all 2>&1 | grep -vx true)"

	# A connection without an answer: ended in time; its helper, like ssh, sees the end.
	cat >deaf <<END
#!/bin/sh
echo \$\$ >$PWD/deaf.pid
exec cat >$PWD/deaf.input
END
	chmod +x deaf
	start=$SECONDS
	identify --proc-root tree --libvirt "qemu+ext:///system?command=$PWD/deaf" --timeout 1500
	status=$?
	took=$((SECONDS - start))
	wrong=
	[ $status = 2 ] || wrong+="status $status "
	[ $took -lt 20 ] || wrong+="took $took s "
	grep -q 'did not answer in time' err || wrong+="$(cat err) "
	[ "$(cut -d, -f3 map.csv | tr '\n' ' ')" = 'emulator vcpu0 ' ] || wrong+="names are missing "
	if [ -s deaf.pid ]; then
		for _ in {1..50}; do kill -0 "$(cat deaf.pid)" 2>/dev/null || break; sleep 0.1; done
		! kill -0 "$(cat deaf.pid)" 2>/dev/null || { wrong+="its helper still runs "; kill "$(cat deaf.pid)"; }
	else
		wrong+="the helper never ran "
	fi
	verdict a_daemon_that_does_not_answer_costs_no_more_than_the_time_allowed "$wrong"
else
	skip libvirts_library "libvirt.so.0 is not installed"
fi

identify --proc-root tree --libvirt nonsense:///
verdict a_connection_that_fails_is_reported_and_the_names_of_proc_remain \
	"$([ $? = 2 ] && grep -q 'libvirt at nonsense:///' err && [ "$(wc -l <map.csv)" = 2 ] || cat err map.csv)"

# A laptop without libvirt: the loader finds something else under its name.
mkdir -p nolib && echo none >nolib/libvirt.so.0
wrong=
LD_LIBRARY_PATH=$PWD/nolib identify --proc-root tree --libvirt qemu:///system
status=$?
[ $status = 2 ] && grep -q "library is not installed" err && [ "$(wc -l <map.csv)" = 2 ] ||
	wrong="status $status: $(cat err)"
readelf -d "$CDICT" 2>/dev/null | grep -i 'NEEDED.*libvirt' && wrong+=" the program is linked with libvirt"
verdict without_libvirts_library_the_program_runs "$wrong"

# ---- live ----------------------------------------------------------------------------------------

if [ -r /proc/self/stat ]; then
	cp "$fakeqemu" qemu-system-x86_64
	mkfifo in
	THREADS=$'CPU 0/KVM\nCPU 1/KVM\nworker\nIO iothread1\n\nIO mon_iothread\nweird) (name' \
		./qemu-system-x86_64 -name 'guest=live,,1,debug-threads=on' -append -uuid -uuid $uuid \
		<in >threads &
	fake=$!
	exec 9>in
	until grep -q ready threads || ! kill -0 $fake 2>/dev/null; do sleep 0.05; done
	# not QEMU, whatever their arguments say
	sh -c ': qemu-system-x86_64; sleep 60; :' -name guest=wrong &
	sleep_shell=$!
	hz=$(getconf CLK_TCK)
	while read -r tid name; do
		case $name in
		'CPU 0/KVM') role=vcpu0 ;; 'CPU 1/KVM') role=vcpu1 ;; worker) role=worker ;;
		'IO iothread1') role=iothread1 ;; *) role=emulator ;;
		esac
		[ "$tid" = ready ] ||
			echo "$tid,\"live,1\",$role,$uuid,,,,$(($(sed 's/.*) //' "/proc/$fake/task/$tid/stat" |
				cut -d' ' -f20) * (1000000000 / hz)))"
	done <threads | sort -n >want
	identify --libvirt off
	status=$?
	verdict a_live_qemu_is_found_with_all_its_threads_and_no_others \
		"$([ $status = 0 ] || echo "status $status: $(cat err)"
		[ "$(wc -l <want)" = 8 ] || echo "the fake has $(wc -l <want) threads"
		grep '"live,1"' map.csv | diff want -
		grep wrong map.csv)"
	kill $sleep_shell 2>/dev/null
	exec 9>&-
	wait $fake 2>/dev/null
else
	skip a_live_qemu_is_found_with_all_its_threads_and_no_others "no /proc here"
fi

# ---- permissions ---------------------------------------------------------------------------------

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	work=$(mktemp -d /tmp/cdict-identify.XXXXXX)
	chmod 755 "$work"
	fake_tree $uuid instance-0000002a
	cp -r tree "$work/tree"
	cp "$CDICT" "$work/cdict"
	mkdir -p "$work/tree/800"
	chmod 000 "$work/tree/800" "$work/tree/700/task/701"
	setpriv --reuid=65534 --regid=65534 --clear-groups "$work/cdict" identify \
		--proc-root "$work/tree" >map.all 2>err
	status=$?
	sed 1d map.all >map.csv
	wrong=
	[ $status = 0 ] || wrong+="status $status "
	[ "$(cut -d, -f1,3 map.csv | tr '\n' ' ')" = '700,emulator 701,thread ' ] || wrong+="$(cat map.csv) "
	grep -q 'cannot inspect 1 process: permission denied: run as root' err &&
		grep -q "the name of 1 thread could not be read: run as root" err &&
		grep -q '1 VM, 1 thread named, 1 not' err || wrong+="$(cat err)"
	verdict unreadable_processes_are_counted_and_reported "$wrong"
	rm -rf "$work"
else
	skip unreadable_processes_are_counted_and_reported "needs root and setpriv, to become nobody"
fi
