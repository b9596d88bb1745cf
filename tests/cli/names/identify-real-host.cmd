# needs: jq
# a saved /proc of a real host with four VMs under libvirt, whose state was saved too
${RUN-} $BUILD/tests/tools/make/proctree $DATA/identity/kvm-libvirt.proc.txt proc
$CDICT identify --proc-root proc
echo "-- with libvirt's state"
$CDICT identify --proc-root proc --libvirt-state $DATA/identity/libvirt -o map.csv
echo "status $?"
sed -n '1,4p' map.csv
echo "-- as JSON"
$CDICT identify -q --proc-root proc --libvirt-state $DATA/identity/libvirt --format json |
	jq -c '.schema, .incomplete, .vms[0], .identify[5]'
