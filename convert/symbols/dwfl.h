/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dwfl.h - the part of elfutils' libdw that reads symbols of programs and unwinds their stacks. It
 * is loaded when stacks are recorded, and its headers are not needed to build: the interface
 * declared here has been stable since 0.158 (libdw.so.1, symbol version ELFUTILS_0.158).
 */
#ifndef CONVERT_SYMBOLS_DWFL_H
#define CONVERT_SYMBOLS_DWFL_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cdict/error.h"

typedef struct Dwfl Dwfl;
typedef struct Dwfl_Module Dwfl_Module;
typedef struct Dwfl_Thread Dwfl_Thread;
typedef struct Dwfl_Frame Dwfl_Frame;

typedef struct {
	int (*find_elf)(Dwfl_Module *mod, void **userdata, const char *name, Elf64_Addr base,
			char **file_name, void **elf);
	int (*find_debuginfo)(Dwfl_Module *mod, void **userdata, const char *name, Elf64_Addr base,
			      const char *file_name, const char *debuglink_file,
			      Elf32_Word debuglink_crc, char **debuginfo_file_name);
	int (*section_address)(Dwfl_Module *mod, void **userdata, const char *name, Elf64_Addr base,
			       const char *section, Elf32_Word shndx, const Elf64_Shdr *shdr,
			       Elf64_Addr *addr);
	char **debuginfo_path;
} Dwfl_Callbacks;

typedef struct {
	pid_t (*next_thread)(Dwfl *dwfl, void *dwfl_arg, void **thread_arg);
	bool (*get_thread)(Dwfl *dwfl, pid_t tid, void *dwfl_arg, void **thread_arg);
	bool (*memory_read)(Dwfl *dwfl, Elf64_Addr address, uint64_t *result, void *dwfl_arg);
	bool (*set_initial_registers)(Dwfl_Thread *thread, void *thread_arg);
	void (*detach)(Dwfl *dwfl, void *dwfl_arg);
	void (*thread_detach)(Dwfl_Thread *thread, void *thread_arg);
} Dwfl_Thread_Callbacks;

/* Return values of a frame callback. */
enum { DWFL_GO_ON = 0, DWFL_ENOUGH = 1 };

/* libdw's functions without their prefix; set when dwfl_load() returned 0. */
extern struct dwfl {
	Dwfl *(*begin)(const Dwfl_Callbacks *callbacks);
	void (*end)(Dwfl *dwfl);
	void (*report_begin)(Dwfl *dwfl);
	void (*report_begin_add)(Dwfl *dwfl);
	Dwfl_Module *(*report_elf)(Dwfl *dwfl, const char *name, const char *file_name, int fd,
				   Elf64_Addr base, bool add_p_vaddr);
	Dwfl_Module *(*report_module)(Dwfl *dwfl, const char *name, Elf64_Addr start,
				      Elf64_Addr end);
	int (*report_end)(Dwfl *dwfl,
			  int (*removed)(Dwfl_Module *mod, void *userdata, const char *name,
					 Elf64_Addr base, void *arg),
			  void *arg);
	const char *(*module_info)(Dwfl_Module *mod, void ***userdata, Elf64_Addr *start,
				   Elf64_Addr *end, Elf64_Addr *dwarf_bias, Elf64_Addr *elf_bias,
				   const char **main_file, const char **debug_file);
	void *(*module_getelf)(Dwfl_Module *mod, Elf64_Addr *bias);
	int (*module_build_id)(Dwfl_Module *mod, const unsigned char **bits, Elf64_Addr *vaddr);
	int (*module_getsymtab)(Dwfl_Module *mod);
	const char *(*module_getsym_info)(Dwfl_Module *mod, int ndx, Elf64_Sym *sym,
					  Elf64_Addr *addr, Elf32_Word *shndx, void **elf,
					  Elf64_Addr *bias);
	bool (*attach_state)(Dwfl *dwfl, void *elf, pid_t pid,
			     const Dwfl_Thread_Callbacks *callbacks, void *dwfl_arg);
	int (*getthread_frames)(Dwfl *dwfl, pid_t tid, int (*fn)(Dwfl_Frame *frame, void *arg),
				void *arg);
	bool (*thread_state_registers)(Dwfl_Thread *thread, int first, unsigned n,
				       const uint64_t *values);
	void (*thread_state_register_pc)(Dwfl_Thread *thread, uint64_t pc);
	bool (*frame_pc)(Dwfl_Frame *frame, Elf64_Addr *pc, bool *is_activation);
	char *(*elf_rawfile)(void *elf, size_t *size);
	int (*elf_getphdrnum)(void *elf, size_t *n);
	Elf64_Phdr *(*elf_getphdr)(void *elf, int i, Elf64_Phdr *to);
} dwfl;

/* dwfl_load - loads libdw once: -ENOENT if it is not installed, -ENOSYS in the static program. */
int dwfl_load(struct cdict_error *err);

#endif
