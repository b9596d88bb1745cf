/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The payload of an event block, of a schema that has every model and kind of field.
 * The streams are stored in most of the corpus, so that changes reach their contents.
 */
#include "base/fail.h"
#include "format/coding/decode.h"
#include "tests/fuzz/lib/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define COMMON                                                                                     \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"             \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char *const formats[][2] = {
	{ "sched", "name: sched_switch\nID: 1\nformat:\n" COMMON
		   "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		   "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		   "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
		   "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
		   "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
		   "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
		   "\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n" },
	{ "sched", "name: sched_waking\nID: 2\nformat:\n" COMMON
		   "\tfield:__data_loc char[] comm;\toffset:8;\tsize:4;\tsigned:0;\n"
		   "\tfield:pid_t pid;\toffset:12;\tsize:4;\tsigned:1;\n"
		   "\tfield:int target_cpu;\toffset:16;\tsize:4;\tsigned:1;\n" },
	{ "sched", "name: sched_stat_runtime\nID: 3\nformat:\n" COMMON
		   "\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n"
		   "\tfield:u64 runtime;\toffset:16;\tsize:8;\tsigned:0;\n"
		   "\tfield:u64 vruntime;\toffset:24;\tsize:8;\tsigned:0;\n" },
	{ "sched", "name: sched_stat_sleep\nID: 4\nformat:\n" COMMON
		   "\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n"
		   "\tfield:u64 delay;\toffset:16;\tsize:8;\tsigned:0;\n" },
	{ "kvm", "name: kvm_exit\nID: 5\nformat:\n" COMMON
		 "\tfield:unsigned int exit_reason;\toffset:8;\tsize:4;\tsigned:0;\n"
		 "\tfield:unsigned int vcpu_id;\toffset:12;\tsize:4;\tsigned:0;\n" },
	{ "test", "name: odd\nID: 6\nformat:\n" COMMON
		  "\tfield:u32 other_pid;\toffset:8;\tsize:4;\tsigned:0;\n"
		  "\tfield:u8 mac[6];\toffset:12;\tsize:6;\tsigned:0;\n"
		  "\tfield:__rel_loc u32[] list;\toffset:20;\tsize:4;\tsigned:0;\n" },
};

static struct cdict_schema *schema_of_all(void)
{
	struct cdict_schema *schema = cdict_schema_new(false, 8, 4096);

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (cdict_schema_add(schema, formats[i][0], formats[i][1], strlen(formats[i][1]),
				     NULL) < 0)
			abort();
	return schema;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cdict_schema *schema = schema_of_all();
	struct format_decoder *dec = format_decoder_new(schema);
	uint8_t *copy = malloc(size ? size : 1);
	struct cdict_error err;
	struct cdict_event ev;
	uint32_t order;

	if (size)
		memcpy(copy, data, size);
	/* Twice: a decoder is used for many blocks. */
	for (int round = 0; round < 2; round++)
		if (!format_decoder_open(dec, copy, size, &err))
			while (format_decoder_next(dec, &ev, &order, &err) == 1)
				walk_sum += ev.t_ns + order + (uint64_t)ev.tid +
					    ev.values[ev.type->n_fields - 1];
	format_decoder_free(dec);
	cdict_schema_free(schema);
	free(copy);
	return 0;
}
