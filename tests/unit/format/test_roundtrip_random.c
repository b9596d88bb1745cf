/* SPDX-License-Identifier: GPL-2.0-only */
/* Written data is read back: random schemas, random events. */
#include "tests/unit/book.h"

/* --- random schemas and events */

/* Names with models of their own among those without. */
static const char *const names[] = {
	"prev_pid",   "next_pid", "pid",       "child_pid",  "prev_comm", "next_comm",
	"comm",       "prio",     "prev_prio", "target_cpu", "orig_cpu",  "dest_cpu",
	"prev_state", "runtime",  "vruntime",  "delay",      "vcpu_id",   "exit_reason",
	"gpa",        "a",        "b",         "c",          "addr",      "val",
};
static const char *const events[][2] = {
	{ "sched", "sched_switch" },
	{ "sched", "sched_waking" },
	{ "sched", "sched_wakeup" },
	{ "sched", "sched_stat_runtime" },
	{ "sched", "sched_stat_sleep" },
	{ "sched", "sched_migrate_task" },
	{ "kvm", "kvm_exit" },
	{ "kvm", "kvm_entry" },
	{ "kvm", "kvm_mmio" },
	{ "test", "one" },
	{ "test", "two" },
	{ "block", "rq" },
};

struct random_field {
	char decl[48];
};

static void random_type(struct cdict_schema *schema, const char *const name[2], uint64_t *x)
{
	struct random_field decls[24];
	struct spec fields[24] = { COMMON };
	bool taken[COUNT(names)] = { false };
	size_t n = 4, want = 4 + next_random(x) % 12;

	while (n < want) {
		size_t pick = next_random(x) % COUNT(names);
		const char *field = names[pick];
		struct spec *f = &fields[n];
		unsigned kind = (unsigned)(next_random(x) % 8);
		bool is_pid = strlen(field) >= 3 && !strcmp(field + strlen(field) - 3, "pid");
		bool is_comm = strlen(field) >= 4 && !strcmp(field + strlen(field) - 4, "comm");

		if (taken[pick])
			continue;
		taken[pick] = true;
		*f = (struct spec){ .decl = decls[n].decl };
		if ((is_comm && kind > 2) || kind == 0) {
			f->size = is_comm && kind > 4 ? 16 : 1 + next_random(x) % 20;
			snprintf(decls[n].decl, sizeof(decls[n].decl), "char %s[%u]", field,
				 f->size);
		} else if (is_comm || (kind == 1 && !is_pid)) {
			f->size = 4;
			snprintf(decls[n].decl, sizeof(decls[n].decl), "__data_loc %s[] %s",
				 next_random(x) % 4 ? "char" : "u8", field);
		} else if (kind == 2 && !is_pid) {
			f->size = 4;
			snprintf(decls[n].decl, sizeof(decls[n].decl), "__rel_loc u16[] %s", field);
		} else {
			f->size = is_pid && kind != 7 ? 4 : 1u << next_random(x) % 4;
			f->is_signed = next_random(x) % 2;
			snprintf(decls[n].decl, sizeof(decls[n].decl), "int %s", field);
		}
		n++;
	}
	assert_true(add_type(schema, name[0], name[1], (unsigned)next_random(x) % 1000, fields,
			     n) >= 0);
}

/* Values repeat, as real ones do, so that models hit, miss and learn. */
static uint64_t random_value(uint64_t *x)
{
	uint64_t how = next_random(x) % 8;

	if (how < 5)
		return next_random(x) % 6;
	if (how == 5)
		return extremes[next_random(x) % COUNT(extremes)];
	if (how == 6)
		return next_random(x) >> next_random(x) % 64;
	return 100000 + next_random(x) % 1000;
}

static void random_payload(struct payload *p, uint64_t *x)
{
	for (size_t i = 0; i < p->type->n_fields; i++) {
		const struct cdict_field *f = &p->type->fields[i];
		static const char *const texts[] = {
			"", "a", "swapper/0", "qemu-system-x86", "CPU 0/KVM", "\0x", "b\0", "b"
		};
		static const size_t lens[] = { 0, 1, 9, 15, 9, 2, 2, 1 };
		uint8_t noise[40];
		size_t pick = next_random(x) % 9, len;

		if (f->kind <= CDICT_FIELD_INT) {
			payload_number(p, f->name, random_value(x));
			continue;
		}
		for (size_t b = 0; b < sizeof(noise); b++)
			noise[b] = (uint8_t)next_random(x);
		len = pick == 8 ? next_random(x) % sizeof(noise) : lens[pick];
		if (f->kind == CDICT_FIELD_BYTES && len > f->size)
			len = f->size;
		payload_bytes(p, f->name, pick == 8 ? (const void *)noise : texts[pick], len);
	}
}

static void whatever_is_written_is_read_back(void **state)
{
	uint64_t x = 0x1234567;

	(void)state;
	for (int round = 0; round < 60; round++) {
		struct cdict_schema *schema = cdict_schema_new(round & 1, round & 2 ? 4 : 8, 4096);
		uint64_t t[4] = { 0 }, pace = 1ull << next_random(&x) % 34;
		size_t n = next_random(&x) % (round % 20 ? 700 : 5000);
		struct cdict_sample s = { 0 };
		struct payload p;
		struct book b;

		for (size_t i = 0; i < COUNT(events); i++)
			if (i < 2 || next_random(&x) % 2)
				random_type(schema, events[i], &x);
		book_begin(&b, schema);
		for (size_t i = 0; i < n; i++) {
			s.cpu = (uint32_t)(next_random(&x) % 4);
			t[s.cpu] += next_random(&x) % 4 ? next_random(&x) % pace : 0;
			/* Passes grow with time, so that the order is total. */
			s.order = (uint32_t)(t[s.cpu] / 50);
			s.t_ns = t[s.cpu];
			s.tid = (int32_t)random_value(&x);
			s.pid = next_random(&x) % 3 ? s.tid : (int32_t)random_value(&x);
			s.mode = next_random(&x) % 9 ? 1 : (uint8_t)(next_random(&x) % 8);
			payload_init(&p, schema,
				     (unsigned)(next_random(&x) % cdict_schema_count(schema)));
			random_payload(&p, &x);
			book_event(&b, &s, &p);
		}
		book_end(&b);
		cdict_schema_free(schema);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whatever_is_written_is_read_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
