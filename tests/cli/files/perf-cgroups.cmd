# perf record --all-cgroups: PERF_SAMPLE_CGROUP and PERF_RECORD_CGROUP, in both byte orders; and without a path for the id
ln -s $DATA/formats formats
id=3f2a1b0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a
trace() {
	printf '%s\n' 'cpus 1' 'sample sched:sched_switch cgroup data_page' \
		'default sched:sched_switch prev_prio=120 next_prio=120' 'proc 501 nginx' 'proc 502 sh'
	[ -z "$1" ] || echo "[000] 60.0: CGROUP 77 $1"
	echo '501 [000] 60.001: sched:sched_switch: prev_pid=501 prev_state=R next_pid=502'
	echo '502 [000] 60.002: sched:sched_switch: prev_pid=502 prev_state=S next_pid=501'
}
for path in /system.slice/docker-$id.scope / ''; do
	for order in "" --big-endian; do
		trace "$path" >x.trace
		$MKPERF $order -o x.data x.trace && $CDICT convert -q -i x.data -o x.cdict
		$CDICT tasks -q x.cdict --by group --format csv | cut -d, -f1-4
	done
done
$CDICT info x.cdict | grep -c CGROUP || :
echo "-- domains of libvirt: its VMs, vCPUs and other threads"
$CDICT convert -q $DATA/kvm-libvirt-cgroups.data -o real.cdict
$CDICT tasks -q real.cdict --by role --format csv | cut -d, -f1-4 | grep ,vm | sort
$CDICT vcpu -q real.cdict --by vm --format csv | cut -d, -f1-3 | grep -v unknown | sort | head -n 5
# all of one domain's threads without a group of their own
for group in '/machine.slice/machine-qemu\x2d12\x2dweb\x2dshop.scope/libvirt/emulator' /machine/web-shop.libvirt-qemu/emulator; do
	printf '%s\n' 'cpus 1' 'sample sched:sched_switch cgroup data_page' 'default sched:sched_switch prev_prio=120 next_prio=120' \
		'proc 700 qemu-kvm' 'proc 700/703 worker' 'proc 704 vhost-700' 'proc 700/705 kvm-nx-lpage-re' "[000] 60.0: CGROUP 77 $group" >vm.trace
	last=700
	for t in 703 704 705 700; do
		echo "$last [000] 60.$last: sched:sched_switch: prev_pid=$last prev_state=S next_pid=$t"
		last=$t
	done >>vm.trace
	$MKPERF -o vm.data vm.trace && $CDICT tasks -q vm.data -s tid:asc --format csv | cut -d, -f1-5 | grep -v IDLE
done
