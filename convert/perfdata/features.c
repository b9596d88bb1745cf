/* SPDX-License-Identifier: GPL-2.0-only */
/* Header features: sections after the data of a file, records in a pipe. The layouts are those of
 * tools/perf/Documentation/perf.data-file-format.txt. */
#include "convert/perfdata/internal.h"

#include <errno.h>

/* Reads a counted string, zero-padded; NULL when it is incomplete (or out of memory). */
static const char *text(struct perfdata *pd, struct cursor *c)
{
	uint32_t len = cursor_u32(c);
	const uint8_t *p = cursor_take(c, len);

	return p ? perfdata_keep_text(pd, p, strnlen((const char *)p, len)) : NULL;
}

static int one_text(struct perfdata *pd, struct cursor *c, const char **out)
{
	const char *t = text(pd, c);

	if (t)
		*out = t;
	return t ? 0 : CDICT_ECORRUPT;
}

static int texts(struct perfdata *pd, struct cursor *c, const char *const **out, size_t *n_out)
{
	uint32_t n = cursor_u32(c);
	const char **list;

	if (!cursor_ok(c) || n > c->left / 4)
		return CDICT_ECORRUPT;
	list = perfdata_keep(pd, n * sizeof(*list));
	if (!list)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		list[i] = text(pd, c);
		if (!list[i])
			return CDICT_ECORRUPT;
	}
	*out = list;
	*n_out = n;
	return 0;
}

/* Core and socket (second revision) and die (third) are per CPU; their number is nrcpus_avail of
 * NRCPUS, an earlier feature. */
static int cpu_topology(struct perfdata *pd, struct cursor *c)
{
	struct perfdata_features *f = &pd->features;
	uint32_t n = f->nrcpus_avail;
	int32_t *core, *socket, *die;
	const char *const *passed; /* siblings by core, by die */
	size_t n_passed;
	int r = texts(pd, c, &passed, &n_passed);

	if (!r)
		r = texts(pd, c, &f->sibling_threads, &f->n_sibling_threads);
	if (r || !c->left)
		return r;
	if (!n || n > c->left / 8)
		return CDICT_ECORRUPT;
	core = perfdata_keep(pd, n * sizeof(*core));
	socket = perfdata_keep(pd, n * sizeof(*socket));
	die = perfdata_keep(pd, n * sizeof(*die));
	if (!core || !socket || !die)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		core[i] = (int32_t)cursor_u32(c);
		socket[i] = (int32_t)cursor_u32(c);
	}
	f->core_id = core;
	f->socket_id = socket;
	f->n_topology = n;
	if (!c->left)
		return 0;
	r = texts(pd, c, &passed, &n_passed);
	if (r)
		return r;
	for (uint32_t i = 0; i < n; i++)
		die[i] = (int32_t)cursor_u32(c);
	if (!cursor_ok(c))
		return CDICT_ECORRUPT;
	f->die_id = die;
	return 0;
}

static int numa_topology(struct perfdata *pd, struct cursor *c)
{
	uint32_t n = cursor_u32(c);
	struct perfdata_numa_node *nodes;

	if (!cursor_ok(c) || n > c->left / 24)
		return CDICT_ECORRUPT;
	nodes = perfdata_keep(pd, n * sizeof(*nodes));
	if (!nodes)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		nodes[i].node = cursor_u32(c);
		cursor_skip(c, 16); /* total and free memory */
		nodes[i].cpus = text(pd, c);
		if (!nodes[i].cpus)
			return CDICT_ECORRUPT;
	}
	pd->features.numa = nodes;
	pd->features.n_numa = n;
	return 0;
}

/* Reads the names of the events, in the order of the attrs. */
static int event_desc(struct perfdata *pd, struct cursor *c)
{
	uint32_t n = cursor_u32(c);
	uint32_t attr_size = cursor_u32(c);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t n_ids;
		const char *name;

		cursor_skip(c, attr_size);
		n_ids = cursor_u32(c);
		if (!cursor_ok(c))
			return CDICT_ECORRUPT;
		if (i >= pd->events.n)
			return 0;
		name = text(pd, c);
		if (!name || n_ids > c->left / 8)
			return CDICT_ECORRUPT;
		cursor_skip(c, (size_t)n_ids * 8);
		if (*name && !pd->events.at[i]->named) {
			pd->events.at[i]->pub.name = name;
			pd->events.at[i]->named = true;
		}
	}
	return 0;
}

/* Flags of a build id's misc: PERF_RECORD_MISC_BUILD_ID_SIZE. */
#define HAS_SIZE (1u << 15)

int perfdata_take_build_id(struct perfdata *pd, struct cursor *c, uint16_t misc)
{
	struct perfdata_build_id b = { .misc = misc, .size = sizeof(b.id) };
	const uint8_t *id;

	cursor_u32(c); /* pid: of a host or a guest */
	id = cursor_take(c, 24);
	if (!id)
		return CDICT_ECORRUPT;
	memcpy(b.id, id, sizeof(b.id));
	if (misc & HAS_SIZE)
		b.size = id[20] < sizeof(b.id) ? id[20] : sizeof(b.id);
	b.path = perfdata_keep_text(pd, c->at, strnlen((const char *)c->at, c->left));
	if (!b.path)
		return pd->no_memory ? -ENOMEM : CDICT_ECORRUPT;
	if (!array_push(&pd->build_ids, b))
		return 0;
	pd->no_memory = true;
	return -ENOMEM;
}

/* Records of build ids, one after the other. */
static int build_ids(struct perfdata *pd, struct cursor *c)
{
	int r = 0;

	while (c->left && !r) {
		struct cursor in;
		const uint8_t *bytes;
		uint16_t misc, size;

		cursor_u32(c); /* type */
		misc = cursor_u16(c);
		size = cursor_u16(c);
		bytes = size < RECORD_HEADER_SIZE ? NULL
						  : cursor_take(c, size - RECORD_HEADER_SIZE);
		if (!bytes || !cursor_ok(c))
			return CDICT_ECORRUPT;
		in = cursor_init(bytes, size - RECORD_HEADER_SIZE, pd->big);
		r = perfdata_take_build_id(pd, &in, misc);
	}
	return r;
}

static int clock_data(struct perfdata *pd, struct cursor *c)
{
	struct perfdata_features *f = &pd->features;
	uint32_t version = cursor_u32(c);
	uint64_t wall, clock;

	cursor_u32(c); /* clock id */
	wall = cursor_u64(c);
	clock = cursor_u64(c);
	if (!cursor_ok(c) || version != 1)
		return CDICT_ECORRUPT;
	f->clock_data_wall_ns = wall;
	f->clock_data_clock_ns = clock;
	return 0;
}

static int numbers(struct perfdata *pd, unsigned feature, struct cursor *c)
{
	struct perfdata_features *f = &pd->features;
	bool wide = feature != FEATURE_NRCPUS && feature != FEATURE_COMPRESSED;
	uint64_t first = wide ? cursor_u64(c) : cursor_u32(c);
	uint32_t second = feature == FEATURE_NRCPUS ? cursor_u32(c) : 0;

	if (!cursor_ok(c))
		return CDICT_ECORRUPT;
	switch (feature) {
	case FEATURE_NRCPUS:
		f->nrcpus_avail = (uint32_t)first;
		f->nrcpus_online = second;
		break;
	case FEATURE_TOTAL_MEM:
		f->total_mem_kb = first;
		break;
	case FEATURE_COMPRESSED:
		pd->compressed = true;
		break;
	default: /* DIR_FORMAT: the files are found by name */
		break;
	}
	return 0;
}

int perfdata_feature(struct perfdata *pd, unsigned feature, const uint8_t *data, size_t size,
		     uint64_t offset)
{
	struct perfdata_features *f = &pd->features;
	struct cursor c = cursor_init(data, size, pd->big);

	switch (feature) {
	case FEATURE_TRACING_DATA:
		return perfdata_read_tracing(pd, data, size, offset);
	case FEATURE_BUILD_ID:
		return build_ids(pd, &c);
	case FEATURE_HOSTNAME:
		return one_text(pd, &c, &f->hostname);
	case FEATURE_OSRELEASE:
		return one_text(pd, &c, &f->osrelease);
	case FEATURE_VERSION:
		return one_text(pd, &c, &f->version);
	case FEATURE_ARCH:
		return one_text(pd, &c, &f->arch);
	case FEATURE_CPUDESC:
		return one_text(pd, &c, &f->cpudesc);
	case FEATURE_CPUID:
		return one_text(pd, &c, &f->cpuid);
	case FEATURE_CMDLINE:
		return texts(pd, &c, &f->cmdline, &f->n_cmdline);
	case FEATURE_EVENT_DESC:
		return event_desc(pd, &c);
	case FEATURE_CPU_TOPOLOGY:
		return cpu_topology(pd, &c);
	case FEATURE_NUMA_TOPOLOGY:
		return numa_topology(pd, &c);
	case FEATURE_CLOCK_DATA:
		return clock_data(pd, &c);
	case FEATURE_NRCPUS:
	case FEATURE_TOTAL_MEM:
	case FEATURE_SAMPLE_TIME:
	case FEATURE_CLOCKID:
	case FEATURE_DIR_FORMAT:
	case FEATURE_COMPRESSED:
		return numbers(pd, feature, &c);
	default:
		return 0;
	}
}

void perfdata_read_features(struct perfdata *pd, const uint64_t bitmap[4], uint64_t offset)
{
	struct cursor table;

	if (offset > pd->size)
		offset = pd->size;
	table = cursor_init(pd->bytes + offset, pd->size - (size_t)offset, pd->big);
	for (unsigned feature = 0; feature < FEATURE_COUNT; feature++) {
		uint64_t at, size;

		if (!(bitmap[feature / 64] >> feature % 64 & 1))
			continue;
		at = cursor_u64(&table);
		size = cursor_u64(&table);
		if (!cursor_ok(&table) || at > pd->size || size > pd->size - at) {
			pd->cut = true;
			perfdata_note(pd, cursor_ok(&table) ? at : pd->size,
				      "header feature %u lies beyond the end of the file", feature);
		} else if (perfdata_feature(pd, feature, pd->bytes + at, (size_t)size, at) < 0) {
			perfdata_note(pd, at, "header feature %u cannot be read", feature);
		}
	}
}
