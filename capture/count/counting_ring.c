/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the records of a ring. */
#include <linux/perf_event.h>
#include <string.h>

#include "capture/count/counting_internal.h"
#include "capture/host/rings.h"

void counting_ring_read(uint8_t *ring, size_t bytes, counting_record_fn fn, void *ctx)
{
	struct perf_event_mmap_page *page = (void *)ring;
	const uint8_t *data = ring + sysconf(_SC_PAGESIZE);
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), tail = page->data_tail;
	uint8_t copy[UINT16_MAX + 1];

	while (tail < head) {
		size_t at = tail % bytes, size = load16(data + (at + 6) % bytes, NATIVE_BIG);
		uint32_t type = load32(data + at, NATIVE_BIG);
		size_t before = size < bytes - at ? size : bytes - at;

		if (size < 8 || size > head - tail)
			break; /* the kernel writes no such record */
		memcpy(copy, data + at, before);
		memcpy(copy + before, data, size - before);
		fn(ctx, type, cursor_init(copy + 8, size - 8, NATIVE_BIG));
		tail += size;
	}
	__atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
}
