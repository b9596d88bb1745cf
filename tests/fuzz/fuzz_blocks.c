/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The blocks of a cdict as they are inside, before they are packed: each a byte for its type, two of its
 * size and its content.  They become a file whose check sums and index are right; all data that a
 * command reads is read, its tables are walked for and printed, and JSON is JSON.
 */
#include "analyze/walk/digest.h"
#include "tables/columns/tables.h"
#include "tables/info/info.h"
#include "tests/fuzz/lib/blocksfile.h"
#include "tests/fuzz/lib/limits.h"
#include "tests/fuzz/lib/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Output goes to a file, not to memory of the command. */
static int to_file(void *ctx, const void *data, size_t size)
{
	struct buf *file = ctx;
	long most = limits_most;

	limits_end();
	buf_add(file, data, size);
	must(!file->failed);
	/* its memory at most doubles */
	limits_most = most == INT64_MAX ? most : most + 3 * (long)size;
	return 0;
}

/* The end of such output of an input of @size bytes; as JSON it is JSON. */
static void printed(struct sink *s, struct buf *file, size_t size, bool json)
{
	long most = limits_most;

	must(!sink_finish(s));
	limits_output(file->len, size);
	limits_end();
	if (json)
		must_be_json_text((const char *)file->data, file->len, JSON_REJECT_DUPLICATES);
	limits_most = most;
	file->len = 0;
}

static void info(const struct cdict_reader *r, size_t size)
{
	struct info info;
	struct buf file = { 0 };
	struct sink s;

	must(!info_init(&info, r, "x.cdict"));
	info.labels = info.all_types = true;
	sink_to(&s, to_file, &file);
	info_print_text(&s, &info);
	printed(&s, &file, size, false);
	sink_to(&s, to_file, &file);
	info_print_json(&s, &info);
	printed(&s, &file, size, true);
	info_fini(&info);
	buf_fini(&file);
}

static void tables(struct cdict_reader *r, size_t size, uint64_t from_ns, uint64_t to_ns)
{
	const struct tables_options opts = { .from_ns = from_ns, .to_ns = to_ns };
	struct table_frame frame = { .command = "stats", .file = "x.cdict", .reader = r };
	struct cdict_error err = { 0 };
	/* of a window events: system calls are walked from the beginning, and windows here are to be resumed */
	const struct analyze_counts_options counts = {
		.by = ANALYZE_COUNTS_BY_TASK | ANALYZE_COUNTS_BY_CPU |
		      (from_ns || to_ns ? ANALYZE_COUNTS_BY_EVENT : ANALYZE_COUNTS_BY_SYSCALL),
		.bucket_ns = UINT64_MAX / 1000,
	};
	const struct tables_count_options shown = { .by_task = true, .abi = SYSCALLS_X86_64 };
	struct table *all[10];
	struct buf file = { 0 };
	struct tables_walk w;
	struct sink s;

	if (tables_walk_init(&w, r, &opts, &err) || tables_walk_add(&w, &err) ||
	    analyze_switches_new(&w.switches, w.eng, NULL, &err) ||
	    analyze_successors_new(&w.successors, w.eng, &err) ||
	    analyze_counts_new(&w.counts, w.eng, &counts, &err) || tables_walk_run(&w, &err)) {
		must(err.text[0]);
		tables_walk_fini(&w);
		return;
	}
	analyze_engine_window(w.eng, &frame.from_ns, &frame.to_ns);
	all[0] = tables_tasks(&w, false);
	all[1] = tables_latency(&w);
	all[2] = tables_exits(&w, TABLES_EXITS_BY_TASK, NULL);
	all[3] = tables_vcpu(&w);
	all[4] = tables_coremap(&w);
	all[5] = tables_coremap_cpus(&w);
	all[6] = tables_switches(&w);
	all[7] = tables_successors(&w);
	all[8] = all[3] ? tables_antagonists(&w, all[3], 3) : NULL;
	all[9] = tables_count(&w, &shown);
	for (size_t i = 0; i < 10; i++) {
		must(all[i] && !table_sort(all[i], NULL, &err));
		sink_to(&s, to_file, &file);
		must(!table_print(&s, TABLE_AS_CSV, &frame, &all[i], 1));
		printed(&s, &file, size, false);
	}
	/* no command prints all ten */
	sink_to(&s, to_file, &file);
	must(!table_print(&s, TABLE_AS_TEXT, &frame, all, 10));
	printed(&s, &file, SIZE_MAX, false);
	sink_to(&s, to_file, &file);
	must(!table_print(&s, TABLE_AS_JSON, &frame, all, 10));
	for (size_t i = 0; i < 10; i++)
		table_free(all[i]);
	tables_walk_fini(&w);
	printed(&s, &file, SIZE_MAX, true);
	buf_fini(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t first_ns, last_ns;
	struct cdict_reader *r;
	struct cdict_error err;
	struct buf file = { 0 };

	blocksfile_make(&file, data, size);
	limits_begin(file.len);
	must(!cdict_reader_parse(&r, file.data, file.len, &err));
	walk_all(r);
	info(r, file.len);
	limits_begin(file.len);
	tables(r, file.len, 0, 0);
	if (cdict_reader_window(r, &first_ns, &last_ns)) {
		limits_begin(file.len);
		tables(r, file.len, first_ns + (last_ns - first_ns) / 3,
		       last_ns - (last_ns - first_ns) / 3);
	}
	limits_end();
	cdict_reader_close(r);
	buf_fini(&file);
	return 0;
}
