/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * proc_role.h - the role of a thread of QEMU, from what is known of it.
 *
 *	vcpuN		runs the guest's CPU N
 *	vcpus		runs all of them (TCG in one thread)
 *	iothreadN	an I/O thread of libvirt; iothread-NAME: one with another id
 *	worker		of QEMU's thread pool or of io_uring
 *	vhost		the kernel's back end of a network card, a disk or a vsock
 *	kvm-pit		KVM's timer interrupts
 *	kvm-nx		KVM's recovery of large pages
 *	emulator	every other thread: what libvirt calls so and pins together
 *	thread		QEMU's threads carry no names and nobody else knew this one
 */
#ifndef ANNOTATE_PROC_ROLE_H
#define ANNOTATE_PROC_ROLE_H

#include <stdbool.h>
#include <stdint.h>

#define PROC_ROLE_MAX 32

/* proc_role_of_comm - the role that a thread's own name tells, "" when it tells none.
 * *@qemu_named is set when the name is one that QEMU gives with debug-threads=on;
 * never cleared. */
void proc_role_of_comm(char role[PROC_ROLE_MAX], const char *comm, bool *qemu_named);

enum proc_kernel_thread {
	PROC_KERNEL_NONE = 0,
	PROC_KERNEL_VHOST,
	PROC_KERNEL_PIT,
	PROC_KERNEL_NX,
};

/* proc_kernel_thread - which of the kernel's threads that serve a VM has this name, and
 * in *@owner the number in it: a tid of the host, for the PIT a pid in QEMU's own
 * namespace; 0 when the name was cut (Linux before 5.17). */
enum proc_kernel_thread proc_kernel_thread(const char *comm, int32_t *owner);

/* proc_role_is_single - whether a VM has but one thread of this role (vcpuN, iothreadN). */
bool proc_role_is_single(const char *role);

#endif
