/* SPDX-License-Identifier: GPL-2.0-only */
/* Symbols by libdw; each file is read once. */
#include "convert/symbols/elfsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/memory/buf.h"
#include "base/system/shared_object.h"
#include "convert/symbols/demangle.h"
#include "convert/symbols/dwfl.h"
#include "convert/symbols/functions.h"

struct elfsyms_file {
	Dwfl *dwfl;
	Dwfl_Module *module; /* NULL: unreadable */
	struct functions functions;
	bool read; /* the functions */
};

struct dwfl dwfl;

int dwfl_load(struct cdict_error *err)
{
	static const char *const names[] = { "libdw.so.1", NULL };
	static const struct shared_function functions[] = {
		{ "dwfl_begin", &dwfl.begin },
		{ "dwfl_end", &dwfl.end },
		{ "dwfl_report_begin", &dwfl.report_begin },
		{ "dwfl_report_begin_add", &dwfl.report_begin_add },
		{ "dwfl_report_elf", &dwfl.report_elf },
		{ "dwfl_report_module", &dwfl.report_module },
		{ "dwfl_report_end", &dwfl.report_end },
		{ "dwfl_module_info", &dwfl.module_info },
		{ "dwfl_module_getelf", &dwfl.module_getelf },
		{ "dwfl_module_build_id", &dwfl.module_build_id },
		{ "dwfl_module_getsymtab", &dwfl.module_getsymtab },
		{ "dwfl_module_getsym_info", &dwfl.module_getsym_info },
		{ "dwfl_attach_state", &dwfl.attach_state },
		{ "dwfl_getthread_frames", &dwfl.getthread_frames },
		{ "dwfl_thread_state_registers", &dwfl.thread_state_registers },
		{ "dwfl_thread_state_register_pc", &dwfl.thread_state_register_pc },
		{ "dwfl_frame_pc", &dwfl.frame_pc },
		{ "elf_rawfile", &dwfl.elf_rawfile },
		{ "elf_getphdrnum", &dwfl.elf_getphdrnum },
		{ "gelf_getphdr", &dwfl.elf_getphdr },
	};
	static struct shared_object so = {
		.use = "unwinding and symbols of programs need libdw",
		.package = "libdw1",
		.names = names,
		.functions = functions,
		.n = sizeof(functions) / sizeof(functions[0]),
	};

	return shared_object_load(&so, err);
}

/* Called only for modules without a file; elfsyms_put() passes one. */
static int find_elf(Dwfl_Module *mod, void **userdata, const char *name, Elf64_Addr base,
		    char **file_name, void **elf)
{
	int *fd = *userdata;

	(void)mod, (void)name, (void)base, (void)file_name, (void)elf;
	*userdata = NULL;
	return fd ? dup(*fd) : -1;
}

int elfsyms_open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct statfs fs;
	struct stat st;

	/* reading /proc/kmsg or /proc/kcore would have effects, or no end */
	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode) || fstatfs(fd, &fs) ||
			fs.f_type == PROC_SUPER_MAGIC || fs.f_type == SYSFS_MAGIC)) {
		close(fd);
		return -ENOENT;
	}
	return fd >= 0 ? fd : errno == ENOMEM ? -ENOMEM : -ENOENT;
}

/* Looks for the build id on this host only: no debuginfod. */
static int find_debuginfo(Dwfl_Module *mod, void **userdata, const char *name, Elf64_Addr base,
			  const char *file_name, const char *debuglink_file,
			  Elf32_Word debuglink_crc, char **debuginfo_file_name)
{
	static const char folder[] = "/usr/lib/debug/.build-id/";
	char path[sizeof(folder) + 2 * 64 + sizeof("/.debug")];
	const unsigned char *id;
	Elf64_Addr vaddr;
	int n = dwfl.module_build_id(mod, &id, &vaddr), at, fd;

	(void)userdata, (void)name, (void)base, (void)file_name, (void)debuglink_file;
	(void)debuglink_crc, (void)debuginfo_file_name;
	if (n < 2 || n > 64)
		return -1;
	at = sprintf(path, "%s%02x/", folder, id[0]);
	for (int i = 1; i < n; i++)
		at += sprintf(path + at, "%02x", id[i]);
	strcpy(path + at, ".debug");
	fd = elfsyms_open_file(path);
	return fd < 0 ? -1 : fd;
}

static int no_section(Dwfl_Module *mod, void **userdata, const char *name, Elf64_Addr base,
		      const char *section, Elf32_Word shndx, const Elf64_Shdr *shdr,
		      Elf64_Addr *addr)
{
	(void)mod, (void)userdata, (void)name, (void)base, (void)section, (void)shndx, (void)shdr;
	*addr = 0;
	return 0;
}

void elfsyms_fini(struct elfsyms *s)
{
	for (size_t i = 0; i < s->files.n; i++) {
		functions_fini(&s->files.at[i].functions);
		if (s->files.at[i].dwfl)
			dwfl.end(s->files.at[i].dwfl);
	}
	array_fini(&s->files);
	map_fini(&s->by_file);
	array_fini(&s->found);
	stringset_fini(&s->names);
	map_fini(&s->by_place);
}

int elfsyms_open(int32_t pid, const char *path)
{
	struct buf inside = { 0 };
	int fd;

	buf_printf(&inside, "/proc/%d/root%s", pid, path);
	buf_u8(&inside, 0);
	fd = inside.failed ? -ENOMEM : elfsyms_open_file((const char *)inside.data);
	buf_fini(&inside);
	return fd == -ENOENT ? elfsyms_open_file(path) : fd;
}

int elfsyms_open_vma(const struct elfsyms *s, int32_t pid, const struct vma *vma)
{
	if (s->open)
		return s->open(s->ctx, pid, vma);
	if (*vma->path != '/' || !strncmp(vma->path, "//", 2))
		return -ENOENT; /* "[vdso]", "//anon" */
	return elfsyms_open(pid, vma->path);
}

Dwfl *elfsyms_dwfl(void)
{
	static const Dwfl_Callbacks callbacks = { find_elf, find_debuginfo, no_section, NULL };

	return dwfl.begin(&callbacks);
}

static void file_open(struct elfsyms *s, struct elfsyms_file *f, int32_t pid, const struct vma *vma)
{
	int fd = dwfl_load(NULL);

	if (!fd)
		fd = elfsyms_open_vma(s, pid, vma);
	s->out_of_memory |= fd == -ENOMEM;
	if (fd < 0)
		return;
	errno = 0; /* libdw has only a text for lack of memory */
	f->dwfl = elfsyms_dwfl();
	s->out_of_memory |= !f->dwfl;
	if (f->dwfl) {
		dwfl.report_begin(f->dwfl);
		/* at its own addresses; takes @fd */
		f->module = dwfl.report_elf(f->dwfl, vma->path, vma->path, fd, 0, true);
		dwfl.report_end(f->dwfl, NULL, NULL);
	}
	s->out_of_memory |= errno == ENOMEM;
	if (!f->module)
		close(fd);
}

static struct elfsyms_file *file_of(struct elfsyms *s, int32_t pid, const struct vma *vma)
{
	uint64_t which = vma->build_id ? (uintptr_t)vma->build_id : vma->inode;
	uint32_t *at = map_add(&s->by_file, (uintptr_t)vma->path, which);

	if (at && *at == MAP_NEW && s->files.n < ELFSYMS_FILES && array_add(&s->files)) {
		*at = (uint32_t)(s->files.n - 1);
		file_open(s, &s->files.at[*at], pid, vma);
	}
	s->out_of_memory |= !at || (*at == MAP_NEW && s->files.n < ELFSYMS_FILES);
	return at && *at != MAP_NEW ? &s->files.at[*at] : NULL;
}

/* Gets the file's own address for the contents at @offset. */
static bool address_at(const struct elfsyms_file *f, uint64_t offset, Elf64_Addr *address)
{
	Elf64_Addr bias = 0;
	Elf64_Phdr ph;
	void *elf = dwfl.module_getelf(f->module, &bias);
	size_t n = 0;

	if (!elf || dwfl.elf_getphdrnum(elf, &n))
		return false;
	for (size_t i = 0; i < n && dwfl.elf_getphdr(elf, (int)i, &ph); i++)
		if (ph.p_type == PT_LOAD && offset >= ph.p_offset &&
		    offset - ph.p_offset < ph.p_filesz) {
			*address = offset - ph.p_offset + ph.p_vaddr + bias;
			return true;
		}
	return false;
}

bool elfsyms_place(struct elfsyms *s, int32_t pid, const struct vma *vma, uint32_t *file,
		   uint64_t *address)
{
	const struct elfsyms_file *f = file_of(s, pid, vma);

	if (!f || !f->module || !address_at(f, vma->offset, address))
		return false;
	*file = (uint32_t)(f - s->files.at);
	return true;
}

bool elfsyms_put(const struct elfsyms *s, uint32_t file, int fd, Dwfl *to, uint64_t base,
		 uint64_t bytes)
{
	Dwfl_Module *from = s->files.at[file].module, *module = NULL;
	Elf64_Addr low, high, bias = 0;
	void **userdata;

	if (!dwfl.module_info(from, NULL, &low, &high, NULL, NULL, NULL, NULL) || high <= low ||
	    high > bytes)
		return false;
	dwfl.report_begin_add(to);
	module = dwfl.report_module(to, "", base + low, base + high);
	if (module && dwfl.module_info(module, &userdata, NULL, NULL, NULL, NULL, NULL, NULL))
		*userdata = &fd;
	dwfl.report_end(to, NULL, NULL);
	return module && dwfl.module_getelf(module, &bias) && bias == base;
}

static void read_functions(struct elfsyms *s, struct elfsyms_file *f)
{
	if (f->read)
		return;
	f->read = true;
	if (functions_read(&f->functions, f->module, ELFSYMS_SYMBOLS - s->n_symbols, &s->names) ==
	    -ENOMEM)
		s->out_of_memory = true;
	s->n_symbols += f->functions.all.n;
}

static struct elfsyms_found look_up(struct elfsyms *s, struct elfsyms_file *f, Elf64_Addr address)
{
	const struct elf_function *function;
	const char *name;

	read_functions(s, f);
	function = functions_find(&f->functions, address);
	if (!function)
		return (struct elfsyms_found){ NULL, 0 };
	name = demangle(&s->names, function->name);
	s->out_of_memory |= !name;
	return (struct elfsyms_found){ name, address - function->start };
}

void elfsyms_resolve(struct elfsyms *s, int32_t pid, const struct vma *vma,
		     struct cdict_frame *frame)
{
	struct elfsyms_file *f = file_of(s, pid, vma);
	Elf64_Addr address;
	struct elfsyms_found found = { NULL, 0 };
	uint32_t *at;

	frame->object = vma->path;
	if (!f || !f->module || !address_at(f, frame->address - vma->start + vma->offset, &address))
		return;
	at = map_find(&s->by_place, address, (uintptr_t)(f - s->files.at));
	if (at && *at < s->found.n) {
		found = s->found.at[*at];
	} else {
		found = look_up(s, f, address);
		at = s->found.n < ELFSYMS_FOUND
			     ? map_add(&s->by_place, address, (uintptr_t)(f - s->files.at))
			     : NULL;
		if (at && !array_push(&s->found, found))
			*at = (uint32_t)(s->found.n - 1);
	}
	if (found.name) {
		frame->symbol = found.name;
		frame->offset = found.offset;
	}
}
