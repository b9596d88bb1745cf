# needs: jq
# who is not a VM, by its control group: systemd units, containers, pods; names from the runtimes' files
id=3f2a1b0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a
other() { printf '%s' ${1}${id:${#1}}; } # a second id, beginning with $1
process() { # PID COMM CGROUP-LINE...
	local pid=$1 comm=$2
	shift 2
	mkdir -p proc/$pid/task/$pid
	printf '%s\0' $comm >proc/$pid/cmdline
	printf '%s\n' "$@" >proc/$pid/cgroup
	echo "$pid ($comm) S 1 1 1 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 500 9" >proc/$pid/stat
}
uid=8f81e3a1-1111-4222-8333-00000000000a
burst=/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${uid//-/_}.slice
process 10 systemd 0::/init.scope
process 20 nginx 0::/system.slice/nginx.service
process 21 agetty '0::/system.slice/system-getty.slice/getty@tty1.service'
process 22 bash 0::/user.slice/user-1000.slice/session-3.scope
process 23 firefox 0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-firefox-9.scope
process 24 systemd 0::/user.slice/user-1000.slice/user@1000.service/init.scope
process 25 batch 0::/batch/night
process 26 root 0::/
process 27 lost 0::/../..
process 28 step 0::/system.slice/slurmstepd.scope/job_4711/step_0/user/task_0
process 30 web 0::/system.slice/docker-$id.scope
process 31 db 5:cpu:/docker/$(other aa) '1:name=systemd:/docker/'$(other aa) 0::/
process 32 load 0::/docker/cccccccccccc
process 33 podman 0::/machine.slice/libpod-$(other bb).scope/container
process 34 conmon 0::/machine.slice/libpod-conmon-$(other bb).scope
process 35 nerd 0::/system.slice/nerdctl-$(other dd).scope
process 36 guest 0::/lxc.payload.mail/system.slice/postfix.service
process 37 guest 0::/lxc/101/ns/init.scope
process 40 cart 0::$burst/cri-containerd-$(other ee).scope
process 41 pause 0::$burst/cri-containerd-$(other ef).scope
process 42 nameless 0::/kubepods/besteffort/pod11111111-2222-4333-8444-555555555555/$(other 11)
process 43 crio 0::/kubepods.slice/kubepods-pod22222222_2222_4333_8444_555555555555.slice/crio-$(other 22).scope
process 50 evil '0::/system.slice/a"b,c\x0a.service'
# VMs in pods: KubeVirt's in libvirt's domain NAMESPACE_NAME, Kata's with the sandbox's id
vm() {
	process "$1" "$2" "$3"
	mkdir -p proc/$1/task/$(($1 + 1))
	echo "$(($1 + 1)) ($4) S 1" >proc/$1/task/$(($1 + 1))/stat
	shift 4
	printf '%s\0' "$@" >proc/$(basename $(ls -td proc/[67]* | head -1))/cmdline
}
vm 60 qemu-kvm 0::$burst/cri-containerd-$(other ee).scope 'CPU 0/KVM' \
	/usr/libexec/qemu-kvm -name guest=shop_fedora,debug-threads=on
vm 70 cloud-hyperviso 0::/kubepods/pod$uid/$(other 77) vcpu0 \
	cloud-hypervisor --api-socket /run/vc/vm/$(other 77)/clh-api.sock
put() { mkdir -p "state/${1%/*}" && cat >"state/$1"; }
put var/lib/docker/containers/$id/config.v2.json <<<'{"ID":"x","Name":"/nginx"}'
put var/lib/docker/containers/$(other aa)/config.v2.json <<<'{"Name":' # damaged
mkdir -p state/var/log/pods/shop_cart-7d9f_$uid
task=run/containerd/io.containerd.runtime.v2.task
put $task/default/$(other dd)/config.json <<<'{"annotations":{"nerdctl/name":"builder"}}'
put $task/k8s.io/$(other 77)/config.json <<<'{"annotations":
	{"io.kubernetes.cri.sandbox-name":"kata-pod","io.kubernetes.cri.sandbox-namespace":"secure"}}'
put var/lib/containers/storage/overlay-containers/containers.json \
	<<<'[{"id":1},{"id":"'$(other bb)'","names":["redis"]}]'
put var/lib/containers/storage/overlay-containers/$(other 22)/userdata/config.json <<<'{"annotations":
	{"io.kubernetes.pod.name":"dns","io.kubernetes.pod.namespace":"kube-system"}}'
$CDICT identify --proc-root proc --state-root state --json >units.json
jq -r '.identify[] | select(.role == "") | [.tid, .unit, .cgroup] | @tsv' units.json
echo "-- VMs in pods"
jq -r '.vms[] | [.pid, .vmm, .instance, .name, .project, .unit] | @tsv' units.json
echo "-- without the runtimes' files, as a mapping"
$CDICT identify -q --proc-root proc | cut -c1-90
