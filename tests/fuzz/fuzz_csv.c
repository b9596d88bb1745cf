/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A mapping file: refused with a reason, or read; with bad lines left out always read;
 * a mapping that was read, written and read again is the same.
 */
#include <stdlib.h>
#include <string.h>

#include "format/labels/label_text.h"
#include "annotate/csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool so)
{
	if (!so)
		abort();
}

static bool same(const struct cdict_label *a, const struct cdict_label *b)
{
	return a->tid == b->tid && !strcmp(a->name, b->name) && !strcmp(a->group, b->group) &&
	       !strcmp(a->group_type, b->group_type) && !strcmp(a->role, b->role) &&
	       !strcmp(a->uuid, b->uuid) && !strcmp(a->instance, b->instance) &&
	       !strcmp(a->project, b->project);
}

static void show(const struct cdict_label *l)
{
	bool failed = false;

	free(label_text_name(l, &failed));
	free(label_text_vm(l, &failed));
	free(label_text_order(l));
	must(!failed && label_text_vcpu(l->role) >= -1);
}

static void write_and_read(const struct mapping *m)
{
	struct mapping again = { 0 };
	struct sink s;
	size_t len;
	char *csv;

	sink_to_memory(&s);
	must(!mapping_write_csv(m, &s, NULL));
	csv = sink_take(&s, &len);
	must(csv && !mapping_parse_csv(&again, csv, len, NULL, NULL, NULL));
	for (size_t i = 0; i < m->n; i++) {
		struct cdict_label a, b;

		must(mapping_find(m, m->labels[i].tid, m->labels[i].start_ns, &a));
		must(mapping_find(&again, m->labels[i].tid, m->labels[i].start_ns, &b));
		/* a row without a start becomes part of those with one */
		must(!m->labels[i].start_ns || same(&a, &b));
		show(&a);
	}
	free(csv);
	mapping_fini(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct mapping_csv_options skip = { .skip_bad = true };
	struct mapping strict = { 0 }, rest = { 0 };
	struct mapping_csv_result result;
	struct cdict_error err = { 0 };
	int rc = mapping_parse_csv(&strict, data, size, NULL, &result, &err);

	must(!rc || (err.code == rc && err.text[0] && !strict.n));
	must(rc || !result.bad);
	must(!mapping_parse_csv(&rest, data, size, &skip, &result, &err));
	must(rest.n <= result.rows && (!rc == !result.bad));
	must(rc || rest.n == strict.n);
	write_and_read(&rest);
	mapping_fini(&strict);
	mapping_fini(&rest);
	return 0;
}
