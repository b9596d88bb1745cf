/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dwfl.h - what is used of elfutils' libdw, which reads symbols of programs and unwinds their stacks. It is loaded
 * when stacks are recorded, and its headers are not needed to build: the interface, declared here, is the same since
 * 0.158 (libdw.so.1, symbol version ELFUTILS_0.158).
 */
#ifndef CAPTURE_DWFL_H
#define CAPTURE_DWFL_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "cdict/error.h"

typedef struct Dwfl Dwfl;
typedef struct Dwfl_Module Dwfl_Module;

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

/* libdw's functions without their prefix, once dwfl_load() gave 0. */
extern struct dwfl {
	Dwfl *(*begin)(const Dwfl_Callbacks *callbacks);
	void (*end)(Dwfl *dwfl);
	void (*report_begin)(Dwfl *dwfl);
	Dwfl_Module *(*report_elf)(Dwfl *dwfl, const char *name, const char *file_name, int fd,
				   Elf64_Addr base, bool add_p_vaddr);
	int (*report_end)(Dwfl *dwfl,
			  int (*removed)(Dwfl_Module *mod, void *userdata, const char *name,
					 Elf64_Addr base, void *arg),
			  void *arg);
	void *(*module_getelf)(Dwfl_Module *mod, Elf64_Addr *bias);
	int (*module_build_id)(Dwfl_Module *mod, const unsigned char **bits, Elf64_Addr *vaddr);
	const char *(*module_addrinfo)(Dwfl_Module *mod, Elf64_Addr address, Elf64_Off *offset,
				       Elf64_Sym *sym, Elf32_Word *shndx, void **elf,
				       Elf64_Addr *bias);
	int (*elf_getphdrnum)(void *elf, size_t *n);
	Elf64_Phdr *(*elf_getphdr)(void *elf, int i, Elf64_Phdr *to);
} dwfl;

/* dwfl_load - loads it once: -ENOENT where it is not installed, -ENOSYS in the static program. */
int dwfl_load(struct cdict_error *err);

#endif
