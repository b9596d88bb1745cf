# needs: jq
# every VMM that is known: its process, VM, vCPU threads and roles; their thread names are those of its source
vm() { # PID PPID COMM CGROUP ARGUMENT... <"TID COMM" of the other threads
	local pid=$1 ppid=$2 comm=$3 group=$4 tid
	shift 4
	mkdir -p proc/$pid/task/$pid
	printf '%s\0' "$@" >proc/$pid/cmdline
	printf '%s\n' "$group" | tee proc/$pid/cgroup >proc/$pid/task/$pid/cgroup
	echo "$pid ($comm) S $ppid" | tee proc/$pid/stat >proc/$pid/task/$pid/stat
	while read -r tid comm; do
		mkdir -p proc/$pid/task/$tid
		echo "$tid ($comm) S $ppid" >proc/$pid/task/$tid/stat
		printf '%s\n' "$group" >proc/$pid/task/$tid/cgroup
	done
}
vm 100 1 qemu-system-x86 0::/user.slice /usr/bin/qemu-system-x86_64 -name plain,debug-threads=on <<-END
	101 CPU 0/KVM
	102 IO iothread1
END
vm 110 1 kvm 0::/qemu.slice/105.scope /usr/bin/kvm -id 105 -name web,debug-threads=on -smp 1 <<-END
	111 CPU 0/KVM
	112 kvm
END
# Firecracker by its jailer, with an API socket, and with neither
vm 200 1 firecracker 0::/firecracker/7f3a /firecracker --id 7f3a --start-time-us 5 --api-sock /run/firecracker.socket <<-END
	201 fc_api
	202 fc_vcpu 0
	203 fc_vcpu 1
END
vm 210 1 firecracker-v1. 0::/user.slice ./firecracker-v1.7.0-x86_64 --api-sock=/tmp/db.sock --config-file vm.json <<-END
	211 fc_api
	212 fc_vcpu 0
END
vm 220 1 firecracker 0::/user.slice firecracker --no-api --config-file vm.json <<-END
	221 fc_vcpu 0
END
# the main thread of Cloud Hypervisor has a truncated name
vm 300 1 cloud-hyperviso 0::/user.slice cloud-hypervisor --api-socket path=/run/vms/one.sock \
	--platform num_pci_segments=2,uuid=6F1C2B9E-3D47-4B0A-9C55-0A4F1E7D2C01 <<-END
	301 vmm
	302 http-server
	303 vcpu0
	304 vcpu1
	305 _disk0_q0
	306 __console
	307 vmm_signal_hand
END
vm 310 1 cloud-hyperviso '0::/machine.slice/machine-ch\x2d2\x2dtwo.scope' cloud-hypervisor \
	--api-socket /run/libvirt/ch/two-socket <<-END
	311 vmm
	312 vcpu0
END
# crosvm: a device is a process of its own
vm 400 1 crosvm 0::/user.slice crosvm run --name penguin --socket /run/vm/sock vmlinux <<-END
	401 crosvm_vcpu0
	402 crosvm_vcpu1
	403 v_balloon
END
vm 410 400 pcivirtio-block 0::/user.slice crosvm run --name penguin --socket /run/vm/sock vmlinux <<-END
	411 virtio_blk
END
vm 420 1 crosvm 0::/user.slice crosvm_microdroid --extended-status --log-level info run --cid 12 --name crosvm_microdroid <<-END
	421 crosvm_vcpu0
END
vm 430 1 crosvm 0::/user.slice crosvm stop /run/vm/sock <<<''
# kvmtool: without a name, lkvm's own is guest-PID
vm 500 1 lkvm 0::/user.slice lkvm run --name small -c 1 -k bzImage <<-END
	501 kvm-vcpu-0
	502 virtio-net-rx
	503 threadpool-work
	504 term-poll
END
vm 510 1 lkvm 0::/user.slice lkvm run -k bzImage <<-END
	511 kvm-vcpu-0
END
vm 520 1 lkvm 0::/user.slice lkvm list <<<''
vm 600 1 stratovirt 0::/user.slice stratovirt -machine q35 -name light -uuid 8f81e3a1-0000-4000-8000-00000000000a <<-END
	601 CPU 0/KVM
	602 iothread1
END
# two sockets of one name in different folders are two VMs
vm 700 1 firecracker 0::/user.slice firecracker --api-sock /srv/a/vm.sock <<-END
	701 fc_vcpu 0
END
vm 710 1 firecracker 0::/user.slice firecracker --api-sock /srv/b/vm.sock <<-END
	711 fc_vcpu 0
END
mkdir -p proc/800/task/800
printf 'vhost-202\n' | tee proc/800/comm >proc/800/task/800/comm
$CDICT identify --proc-root proc --json >names.json
jq -r '.vms[] | [.pid, .vmm, .instance, .name, .uuid, .vcpus, .threads, .unnamed] | @tsv' names.json
echo "-- threads"
jq -r '.identify[] | [.tid, .pid, .role, .name, .instance] | @tsv' names.json
