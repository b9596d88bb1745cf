/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * proc_role.h - the role of a VMM's thread, from its names.
 *
 *	vcpuN		runs the guest's CPU N
 *	vcpus		runs all guest CPUs (TCG in one thread)
 *	iothreadN	an I/O thread of libvirt; iothread-NAME: one with another id
 *	iothread-NAME	serves a device, in other VMMs than QEMU
 *	api		serves the VMM's control socket
 *	worker		in QEMU's thread pool or of io_uring
 *	vhost		the kernel's back end of a network card, a disk or a vsock
 *	kvm-pit		KVM's timer interrupts
 *	kvm-nx		KVM's recovery of large pages
 *	emulator	any other thread: libvirt's name for them, which it pins together
 *	thread		unknown: the VMM's threads have no names, and no other source identifies it
 */
#ifndef ANNOTATE_HOST_PROC_ROLE_H
#define ANNOTATE_HOST_PROC_ROLE_H

#include <stdbool.h>
#include <stdint.h>

#include "annotate/host/vmm/vmm.h"

#define PROC_ROLE_MAX VMM_ROLE_MAX

/* proc_role_of_comm - the role shown by a thread's own name, "" when it shows none.
 * Sets *@named when the name is one that @vmm gives; never clears it. */
void proc_role_of_comm(const struct vmm *vmm, char role[PROC_ROLE_MAX], const char *comm,
		       bool *named);

enum proc_kernel_thread {
	PROC_KERNEL_NONE = 0,
	PROC_KERNEL_VHOST,
	PROC_KERNEL_PIT,
	PROC_KERNEL_NX,
};

/* proc_kernel_thread - the kind of VM-serving kernel thread with this name, and
 * in *@owner the number in the name: a tid of the host, for the PIT a pid in the VMM's own
 * namespace; 0 when the name was truncated (Linux before 5.17). */
enum proc_kernel_thread proc_kernel_thread(const char *comm, int32_t *owner);

/* proc_role_is_single - whether a VM has only one thread of this role (vcpuN, iothreadN). */
bool proc_role_is_single(const char *role);

#endif
