# QEMU without debug-threads=on: all threads share a comm; roles that cannot be identified are reported as unknown
mkdir -p proc/100/task/{100,101,102,103}
printf '/usr/libexec/qemu-kvm\0-name\0old\0-smbios\0type=1,uuid=6F1C2B9E-3D47-4B0A-9C55-0A4F1E7D2C01\0' >proc/100/cmdline
for tid in 100 101 102 103; do echo qemu-kvm >proc/100/task/$tid/comm; done
echo qemu-kvm >proc/100/comm
$CDICT identify --proc-root proc
echo "-- control groups, v1"
for tid in 101:emulator 102:vcpu0 103:vcpu1; do
	printf '9:memory:/machine/qemu-1-old.libvirt-qemu\n4:cpuset:/machine/qemu-1-old.libvirt-qemu/%s\n' \
		${tid#*:} >proc/100/task/${tid%:*}/cgroup
done
$CDICT identify --proc-root proc
echo "-- libvirt's state instead; and that of another run, which has other processes"
rm proc/100/task/*/cgroup
mkdir state
echo "<domstatus pid='100'><vcpus><vcpu id='0' pid='103'/><vcpu id='1' pid='102'/></vcpus><domain><name>old</name>
<title>A title</title></domain></domstatus>" >state/old.xml
$CDICT identify --proc-root proc --libvirt-state state
sed -i "s/pid='100'/pid='99'/" state/old.xml
$CDICT identify --proc-root proc --libvirt-state state
