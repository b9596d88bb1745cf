# needs: jq
# a VM of an unknown VMM, called by its process, delayed by tasks of a container, a pod and a systemd unit
ln -s $DATA/formats formats
{
	printf '%s\n' 'cpus 1' 'default kvm:kvm_exit isa=1' 'default sched:sched_switch prev_prio=120 next_prio=120' \
		'proc 1000 hypervisor9' 'proc 1000/1001 cpu-thread' 'proc 501 nginx' 'proc 502 nginx' 'proc 503 cart' 'proc 504 backup' 'proc 505 stress'
	echo '0 [000] 60.000000: sched:sched_switch: prev_pid=0 prev_state=R next_pid=1001'
	echo '1001 [000] 60.000010: kvm:kvm_entry: vcpu_id=0'
	echo '1001 [000] 60.000100: kvm:kvm_exit: vcpu_id=0 exit_reason=EXTERNAL_INTERRUPT'
	last=1001
	for t in 501:1 502:3 503:6 504:8 505:9; do
		echo "$last [000] 60.00${t#*:}000: sched:sched_switch: prev_pid=$last prev_state=R next_pid=${t%:*}"
		last=${t%:*}
	done
	echo '505 [000] 60.010000: sched:sched_switch: prev_pid=505 prev_state=S next_pid=1001'
	echo '1001 [000] 60.011000: kvm:kvm_entry: vcpu_id=0'
} >culprits.trace
id=3f2a1b0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a
cat >units.csv <<END
tid,unit,cgroup
501,docker web,/system.slice/docker-$id.scope
502,docker web,/system.slice/docker-$id.scope
503,pod shop/cart,/kubepods/pod8f81e3a1-1111-4222-8333-00000000000a/$id
504,backup.service,/system.slice/backup.service
END
$MKPERF -o culprits.data culprits.trace && $CDICT convert -q -i culprits.data -o culprits.cdict
$CDICT annotate -q culprits.cdict --map units.csv
$CDICT vcpu culprits.cdict --by vm --format csv | cut -d, -f1-6
$CDICT vcpu culprits.cdict | sed -n '/^$/,/^$/p' | head -6
echo "-- as groups, roles, control groups"
for by in group role cgroup; do
	$CDICT tasks culprits.cdict --by $by --format csv | cut -d, -f1-5
done
echo "-- without units"
$CDICT annotate -q culprits.cdict --clear -o plain.cdict && $CDICT vcpu plain.cdict --by vm --format csv | cut -d, -f1-5
echo "-- in sentences, in SQL"
$CDICT vcpu culprits.cdict | grep behind
$CDICT vm hypervisor9-1000 culprits.cdict | grep behind
$CDICT query -q 'SELECT tid, unit, substr(container, 1, 12) AS container, pod, namespace, cgroup FROM thread WHERE unit IS NOT NULL ORDER BY tid' culprits.cdict --format csv
echo "-- VMs of a capture, as a mapping and as JSON"
$CDICT identify culprits.cdict | cut -d, -f1-7
$CDICT identify -i culprits.data --json | jq -c '.vms[], .identify[]'
$CDICT identify -o vms.csv culprits.cdict && $CDICT tasks -q plain.cdict --map vms.csv --vm hypervisor9-1000 --format csv | cut -d, -f1,2
$CDICT identify -q $DATA/kvm-small.data --json | jq -c '.vms[]'
$CDICT identify --proc-root /proc culprits.cdict
$CDICT identify nothing.cdict
echo "status $?"
