/* SPDX-License-Identifier: GPL-2.0-only */
/* A perf.data of any shape: every record, every sample decoded. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <linux/perf_event.h>

#include "convert/perfdata/perfdata.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t sum;

static void look(const struct perfdata *pd, const struct perfdata_record *rec)
{
	struct perfdata_sample_id id;
	struct perfdata_sample s;
	int event;

	sum += rec->data[0] + rec->data[rec->size - 1];
	if (rec->type != PERF_RECORD_SAMPLE) {
		perfdata_sample_id(pd, rec, &id);
		sum += id.has_time ? id.time : 0;
		return;
	}
	event = perfdata_event_of(pd, rec);
	if (event < 0 || perfdata_sample(pd, perfdata_event_at(pd, (size_t)event), rec, &s))
		return;
	sum += s.time;
	if (s.raw && s.raw_size)
		sum += s.raw[0] + s.raw[s.raw_size - 1];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);
	struct perfdata_record rec;
	struct cdict_error err;
	struct perfdata *pd;

	if (size)
		memcpy(copy, data, size);
	if (!perfdata_parse(&pd, copy, size, &err)) {
		while (perfdata_next(pd, &rec, &err) == 1)
			look(pd, &rec);
		for (size_t i = 0; i < perfdata_tracing(pd)->n_formats; i++)
			sum += strlen(perfdata_tracing(pd)->formats[i].text);
		for (size_t i = 0; i < perfdata_event_count(pd); i++)
			sum += strlen(perfdata_event_at(pd, i)->name);
		perfdata_close(pd);
	}
	free(copy);
	return 0;
}
