/* SPDX-License-Identifier: GPL-2.0-only */
/* The exit reasons of an answer, as numbers. */
#include "analyze/walk/ops.h"
#include "render/engine/engine_internal.h"

void page_reasons_fini(struct page_reasons *list)
{
	analyze_reasons_free(list->names);
	map_fini(&list->numbers);
	array_fini(&list->all);
}

uint32_t page_reasons_number(struct page_reasons *list, struct page_engine *e, uint32_t isa,
			     uint64_t code)
{
	uint32_t *number = map_add(&list->numbers, isa, code);

	if (number && *number == MAP_NEW) {
		*number = (uint32_t)list->all.n;
		if (array_push(&list->all, (struct page_reason){ isa, code }))
			number = NULL;
	}
	if (number)
		return *number;
	analyze_engine_out_of_memory(e->eng);
	return PAGE_NO_TASK;
}

void page_reasons_write(struct json *j, const char *key, const struct page_reasons *list)
{
	char room[24];

	json_open(j, key, '[', false);
	for (size_t i = 0; i < list->all.n; i++)
		json_text(j, NULL,
			  analyze_reasons_text(list->names, list->all.at[i].isa,
					       list->all.at[i].code, room));
	json_close(j);
}
