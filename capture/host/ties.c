/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads what relates this machine's recording to those of its host or guests. */
#include "capture/host/ties.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "capture/host/tracefs.h"

#define KVM_DIR "/sys/kernel/debug/kvm"
/* Bound of a list of vCPUs: 100 bytes each. */
#define VCPUS_BYTES ((size_t)4 << 20)

void ties_fini(struct ties *t)
{
	buf_fini(&t->conversion);
	buf_fini(&t->pair);
	buf_fini(&t->steal);
	buf_fini(&t->vcpus.tids);
	buf_fini(&t->vcpus.offsets);
}

/* The eighth number of a CPU's line, in ticks of USER_HZ (proc(5), /proc/stat). */
void ties_steal(struct buf *out, const char *stat, uint64_t ticks_per_s)
{
	for (const char *line = stat; line && *line && ticks_per_s;
	     line += strcspn(line, "\n"), line += *line == '\n') {
		unsigned long long steal;
		unsigned cpu;

		if (strncmp(line, "cpu", 3) || !isdigit((unsigned char)line[3]) ||
		    sscanf(line, "cpu%u %*u %*u %*u %*u %*u %*u %*u %llu", &cpu, &steal) != 2)
			continue;
		buf_printf(out, "%s%u:%" PRIu64, out->len ? " " : "", cpu,
			   (uint64_t)steal * (UINT64_C(1000000000) / ticks_per_s));
	}
}

/* Reads a decimal number of at most 64 bits; false without one. */
static bool number_of(char out[24], const char *folder, const char *vm, const char *vcpu,
		      const char *file)
{
	char path[1024], *text;
	size_t sign, digits;

	snprintf(path, sizeof(path), "%s/%s/%s/%s", folder, vm, vcpu, file);
	text = tracefs_read(path, NULL);
	sign = text && *text == '-';
	digits = text ? strspn(text + sign, "0123456789") : 0;
	*out = '\0';
	if (digits && digits < 21 && (!text[sign + digits] || text[sign + digits] == '\n'))
		snprintf(out, 24, "%.*s", (int)(sign + digits), text);
	free(text);
	return *out;
}

static int is_number(const struct dirent *d)
{
	return isdigit((unsigned char)d->d_name[0]);
}

static int is_vcpu(const struct dirent *d)
{
	return !strncmp(d->d_name, "vcpu", 4) && isdigit((unsigned char)d->d_name[4]);
}

/* arch/x86/kvm/debugfs.c has a vCPU's files; "pid" exists since Linux 5.19. */
static void vcpu_of(struct ties_vcpus *out, const char *folder, const char *vm, const char *vcpu,
		    unsigned pid)
{
	unsigned long id = strtoul(vcpu + 4, NULL, 10);
	char value[24], ratio[24], bits[24];

	if (number_of(value, folder, vm, vcpu, "pid"))
		buf_printf(&out->tids, "%s%u %lu %s", out->tids.len ? "\n" : "", pid, id, value);
	if (!number_of(value, folder, vm, vcpu, "tsc-offset"))
		return;
	buf_printf(&out->offsets, "%s%u %lu %s", out->offsets.len ? "\n" : "", pid, id, value);
	if (number_of(ratio, folder, vm, vcpu, "tsc-scaling-ratio") &&
	    number_of(bits, folder, vm, vcpu, "tsc-scaling-ratio-frac-bits"))
		buf_printf(&out->offsets, " %s %s", ratio, bits);
}

/* virt/kvm/kvm_main.c names a VM's folder after the process and the descriptor of the VM. */
static void vcpus_of(struct ties_vcpus *out, const char *folder, const char *vm)
{
	char path[512];
	struct dirent **vcpus;
	unsigned pid, fd;
	int n;

	if (sscanf(vm, "%u-%u", &pid, &fd) != 2)
		return;
	snprintf(path, sizeof(path), "%s/%s", folder, vm);
	n = scandir(path, &vcpus, is_vcpu, versionsort);
	for (int i = 0; i < n; i++) {
		if (out->offsets.len < VCPUS_BYTES)
			vcpu_of(out, folder, vm, vcpus[i]->d_name, pid);
		free(vcpus[i]);
	}
	if (n >= 0)
		free(vcpus);
}

void ties_vcpus(struct ties_vcpus *out, const char *folder)
{
	struct dirent **vms;
	int n = scandir(folder, &vms, is_number, versionsort);

	for (int i = 0; i < n; i++) {
		vcpus_of(out, folder, vms[i]->d_name);
		free(vms[i]);
	}
	if (n >= 0)
		free(vms);
}

void ties_take(struct ties *t, struct clock *clock)
{
	long ticks = sysconf(_SC_CLK_TCK);
	char *stat = tracefs_read("/proc/stat", NULL);
	struct clock_conversion by;
	struct clock_tsc_pair pair;

	*t = (struct ties){ 0 };
	if (clock && clock_conversion(clock, &by)) {
		buf_printf(&t->conversion, "%" PRIu64 " %" PRIu32 " %u", by.zero_ns, by.mult,
			   by.shift);
		t->khz = info_tsc_khz(by.mult, by.shift);
	}
	if (clock && clock_tsc_pair(clock, &pair))
		buf_printf(&t->pair, "%" PRIu64 " %" PRIu64 " %" PRIu64, pair.before, pair.after,
			   pair.clock_ns);
	if (ticks > 0)
		ties_steal(&t->steal, stat, (uint64_t)ticks);
	ties_vcpus(&t->vcpus, KVM_DIR);
	free(stat);
}

/* Machine-readable identities: a line of hexadecimal digits and hyphens, as it is or not at all. */
static void identity(struct info_pairs *p, const char *key, const char *path)
{
	char *text = tracefs_read(path, NULL);
	size_t n = text ? strcspn(text, "\n") : 0;

	for (size_t i = 0; i < n; i++) {
		text[i] = (char)tolower((unsigned char)text[i]);
		if (!isxdigit((unsigned char)text[i]) && text[i] != '-')
			n = 0;
	}
	if (n && n <= 64) {
		text[n] = '\0';
		info_text(p, key, text);
	}
	free(text);
}

static void put(struct info_pairs *p, const char *key, const struct buf *text)
{
	struct buf copy = { 0 };

	buf_add(&copy, text->data, text->len);
	copy.failed |= text->failed;
	info_take(p, key, &copy);
}

void ties_write_begin(struct info_pairs *p, const struct ties *t)
{
	identity(p, "host.boot_id", "/proc/sys/kernel/random/boot_id");
	identity(p, "host.machine_id", "/etc/machine-id");
	identity(p, "host.dmi_uuid", "/sys/class/dmi/id/product_uuid");
	put(p, "clock.time_conv", &t->conversion);
	info_number(p, "clock.tsc_khz", t->khz);
	put(p, "clock.tsc_start", &t->pair);
	put(p, "steal.start", &t->steal);
	put(p, "guests.vcpus", &t->vcpus.tids);
	put(p, "guests.tsc_offset", &t->vcpus.offsets);
}

static bool same(const struct buf *a, const struct buf *b)
{
	return a->len == b->len && (!a->len || !memcmp(a->data, b->data, a->len));
}

void ties_write_end(struct info_pairs *p, const struct ties *begin, const struct ties *end)
{
	put(p, "clock.tsc_end", &end->pair);
	put(p, "steal.end", &end->steal);
	if (!same(&begin->vcpus.tids, &end->vcpus.tids))
		put(p, "guests.vcpus_end", &end->vcpus.tids);
	if (!same(&begin->vcpus.offsets, &end->vcpus.offsets))
		put(p, "guests.tsc_offset_end", &end->vcpus.offsets);
}
