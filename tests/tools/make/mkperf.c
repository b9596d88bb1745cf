// SPDX-License-Identifier: GPL-2.0-only
/*
 * mkperf.c - turn a text trace, written by eye, into a perf.data that the real perf reads.
 *
 * Test fixtures only: the input is trusted, the first mistake in it ends the program with
 * file:line.  The syntax of a trace is in usage_text below and in tests/data/README.md.
 * Layouts follow the kernel's include/uapi/linux/perf_event.h and
 * tools/perf/Documentation/perf.data-file-format.txt; bytes are put one by one, so that the
 * byte order of the machine that runs this never matters.
 *
 * Here: the command line.  mkperf/ has the parts: trace.c reads the text, event.c the formats,
 * record.c makes the records, file.c the file around them.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tools/make/mkperf/mkperf.h"

static const char usage_text[] =
	"usage: mkperf [options] -o OUT TRACE\n"
	"  --big-endian     every number most significant byte first\n"
	"  --pipe           the form that 'perf record -o -' writes\n"
	"  --zstd[=N]       kernel records in PERF_RECORD_COMPRESSED, N input bytes in each (301)\n"
	"  --zstd2[=N]      the same in PERF_RECORD_COMPRESSED2 (83, newer than perf 6.1)\n"
	"  --dir            OUT becomes a directory, as 'perf record --threads' writes it\n"
	"  --long-size 4|8  the recording kernel's long (8)\n"
	"  --attr-size N    size of each perf_event_attr (128)\n"
	"  --no-tracing     leave the tracepoint formats out\n"
	"  --no-features    pipe: no FEATURE records (perf 6.1 cannot read them byte-swapped)\n"
	"  --kill           as a killed 'perf record' leaves it: data.size 0, no features\n"
	"  --formats DIR    where format files are (the trace's folder + /formats)\n"
	"  --count          print the number of samples in the trace\n"
	"\n"
	"directives, one a line, before the records ('#' starts a comment):\n"
	"  cpus N | host NAME | arch NAME | osrelease TEXT | version TEXT | cpudesc TEXT\n"
	"  cpuid TEXT | cmdline WORD... | numa 0-1 2-3 | sockets 0-3 | siblings 0,2 1,3\n"
	"  clock CLOCKID WALL_NS CLOCK_NS   write CLOCK_DATA, set attr.clockid\n"
	"  event SYS:NAME                   have the event although nothing uses it\n"
	"  format SYS:NAME FILE             instead of SYS.NAME.format\n"
	"  sample SYS:NAME|dummy|* WORD...  add to (+, none) or take from (-) the sample type:\n"
	"                                   identifier ip tid time addr id stream cpu period\n"
	"                                   read callchain raw branch regs_user stack_user\n"
	"                                   weight data_src transaction regs_intr phys_addr\n"
	"                                   cgroup data_page code_page aux\n"
	"  default SYS:NAME FIELD=VALUE...  for fields that a record leaves out (else 0)\n"
	"  long-size 4|8                    as the option\n"
	"  order cpu|text                   within a round: by CPU, as perf does, or as given\n"
	"  proc [PID/]TID NAME              a task that was there before: FORK and COMM at time 0\n"
	"records:\n"
	"  [PID/]TID [CPU] SEC.NSEC: SYS:NAME: [@FLAG...] FIELD=VALUE...\n"
	"      flags @kernel @user @hv @guest @guest-user @ip=N @id=N\n"
	"      @raw=BYTES (pad or cut the payload)\n"
	"  [[PID/]TID] [CPU] SEC.NSEC: LOST N | LOST_SAMPLES N | THROTTLE | UNTHROTTLE\n"
	"      | COMM [PID/]TID NAME [exec] | FORK PID/TID PPID/PTID | EXIT PID/TID [PPID/PTID]\n"
	"      | SWITCH in|out [preempt] [PID/TID] | RAW HEX...\n"
	"      | RECORD TYPE MISC [u8=N u16=N u32=N u64=N \"TEXT\"]...\n"
	"  ROUND                            FINISHED_ROUND (one more is added at the end)\n"
	"values: 12 0x0c -1, \"text\\n\\x01\", bare words, {1,2,3}; a name that the event's print\n"
	"format gives the field (S|D+, HLT, \"DE excp\").  *comm fields left out take the name of\n"
	"their *pid.\n";

struct mkperf g = {
	.long_size = 8,
	.attr_size = 128,
	.ncpus = 4,
	.host = "compute-01",
	.arch = "x86_64",
	.osrelease = "6.1.0-made-up",
	.version = "6.1.0",
	.dummy = { .sys = "dummy",
		   .name = "HG",
		   .config = 9,
		   .sample_type = BIT(S_IP) | BIT(S_TID) | BIT(S_TIME) | BIT(S_CPU) |
				  BIT(S_IDENTIFIER) },
};

void die(const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "mkperf: ");
	if (g.line)
		fprintf(stderr, "%s:%u: ", g.file, g.line);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

void *grow(void *p, size_t n, size_t size)
{
	p = realloc(p, n * size + 1);
	if (!p)
		die("out of memory");
	return p;
}

char *copy_text(const char *s, size_t n)
{
	struct text *t = grow(NULL, sizeof(*t) + n + 1, 1);

	t->next = g.texts;
	g.texts = t;
	memcpy(t->s, s, n);
	t->s[n] = '\0';
	return t->s;
}

static void fini(void)
{
	struct text *t;
	size_t i;

	while ((t = g.texts)) {
		g.texts = t->next;
		free(t);
	}
	for (i = 0; i < g.nitems; i++)
		free(g.items[i].bytes.p);
	for (i = 0; i < g.nevents; i++) {
		free(g.events[i]->text);
		free(g.events[i]);
	}
	free(g.items);
	free(g.procs);
	free(g.tasks);
	free(g.slots);
}

static void preset_lists(void)
{
	char all[32], one[16];
	unsigned int i;

	snprintf(all, sizeof(all), g.ncpus > 1 ? "0-%u" : "%u", g.ncpus - 1);
	if (!g.numa.n)
		g.numa.s[g.numa.n++] = copy_text(all, strlen(all));
	if (!g.sockets.n)
		g.sockets.s[g.sockets.n++] = copy_text(all, strlen(all));
	for (i = 0; !g.siblings.s[i] && i < g.ncpus && i < MAX_LIST; i++) {
		snprintf(one, sizeof(one), "%u", i);
		g.siblings.s[i] = copy_text(one, strlen(one));
		g.siblings.n = i + 1;
	}
	if (!g.cmdline.n)
		parse_list(&g.cmdline, "perf record -a");
}

int main(int argc, char **argv)
{
	const char *out = NULL, *trace = NULL;
	bool count = false;
	char dir[900], *slash;
	int i;

	for (i = 1; i < argc; i++) {
		const char *a = argv[i], *eq = strchr(a, '=');

		if (!strcmp(a, "--big-endian"))
			g.big = true;
		else if (!strcmp(a, "--pipe"))
			g.pipe = true;
		else if (!strncmp(a, "--zstd", 6)) {
			g.ztype = a[6] == '2' ? RECORD_COMPRESSED2 : RECORD_COMPRESSED;
			g.zchunk = eq ? (unsigned int)atoi(eq + 1) : 301;
		} else if (!strcmp(a, "--dir"))
			g.dir = true;
		else if (!strcmp(a, "--no-tracing"))
			g.no_tracing = true;
		else if (!strcmp(a, "--no-features"))
			g.no_features = true;
		else if (!strcmp(a, "--kill"))
			g.kill = true;
		else if (!strcmp(a, "--count"))
			count = true;
		else if (!strcmp(a, "--long-size") && argv[i + 1])
			g.long_size = (unsigned int)atoi(argv[++i]);
		else if (!strcmp(a, "--attr-size") && argv[i + 1])
			g.attr_size = (unsigned int)atoi(argv[++i]);
		else if (!strcmp(a, "--formats") && argv[i + 1])
			g.formats = argv[++i];
		else if (!strcmp(a, "-o") && argv[i + 1])
			out = argv[++i];
		else if (*a != '-' && !trace)
			trace = a;
		else
			trace = out = NULL, i = argc;
	}
	if (!trace || (!out && !count) || (g.long_size != 4 && g.long_size != 8) ||
	    g.attr_size < 64 || g.attr_size > 4096 ||
	    (g.ztype && (!g.zchunk || g.zchunk > 60000)) || (g.dir && g.pipe)) {
		fputs(usage_text, stderr);
		return 129;
	}
	if (!g.formats) {
		snprintf(dir, sizeof(dir) - 8, "%s", trace);
		slash = strrchr(dir, '/');
		strcpy(slash ? slash + 1 : dir, "formats");
		g.formats = dir;
	}
	parse_trace(trace);
	preset_lists();
	if (count)
		printf("%llu\n", (unsigned long long)g.nsamples);
	if (out)
		write_perf_data(out);
	fini();
	return 0;
}
