/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * shapes.h - the frequent scheduler events, as the paths (enum format_path) that their
 * recorded fields take in coding order. Encoder and decoder unroll them; every other
 * type goes through a loop, to the same result.
 */
#ifndef FORMAT_SHAPES_H
#define FORMAT_SHAPES_H

#include "format/schema.h"

#define SHAPE_S FORMAT_PATH_SAMETASK
#define SHAPE_U FORMAT_PATH_CURRENT
#define SHAPE_W FORMAT_PATH_WOKEN
#define SHAPE_X FORMAT_PATH_NEXT
#define SHAPE_K FORMAT_PATH_WAKEE
#define SHAPE_H FORMAT_PATH_HEAD, FORMAT_PATH_HEAD_REST, FORMAT_PATH_HEAD_REST
#define SHAPE_N FORMAT_PATH_COMM
#define SHAPE_C FORMAT_PATH_CELL
#define SHAPE_V FORMAT_PATH_VALUE
#define SHAPE_E FORMAT_PATH_ELAPSED
#define SHAPE_L FORMAT_PATH_WIDE
#define SHAPE_P FORMAT_PATH_UCELL
#define SHAPE_Q FORMAT_PATH_CONTEXT
#define SHAPE_Q3 SHAPE_Q, SHAPE_Q, SHAPE_Q

/* X(name, paths...). Linux 6.1 to 6.18; sched_stat_runtime had vruntime until 6.7. */
#define FORMAT_SHAPES(X)                                                                           \
	X(switch, SHAPE_S, SHAPE_U, SHAPE_X, SHAPE_H, SHAPE_N, SHAPE_C, SHAPE_L, SHAPE_N, SHAPE_C) \
	X(waking, SHAPE_S, SHAPE_K, SHAPE_H, SHAPE_N, SHAPE_C, SHAPE_C)                            \
	X(wakeup, SHAPE_S, SHAPE_W, SHAPE_H, SHAPE_N, SHAPE_C, SHAPE_C)                            \
	X(stat_runtime, SHAPE_S, SHAPE_U, SHAPE_H, SHAPE_N, SHAPE_E)                               \
	X(stat_runtime_6_1, SHAPE_S, SHAPE_U, SHAPE_H, SHAPE_N, SHAPE_E, SHAPE_V)                  \
	X(kvm_entry, SHAPE_S, SHAPE_H, SHAPE_P, SHAPE_Q, SHAPE_Q)                                  \
	X(kvm_exit, SHAPE_S, SHAPE_H, SHAPE_Q3, SHAPE_Q3, SHAPE_Q, SHAPE_P)                        \
	X(kvm_pio, SHAPE_S, SHAPE_H, SHAPE_Q3, SHAPE_Q, SHAPE_Q)                                   \
	X(kvm_msr, SHAPE_S, SHAPE_H, SHAPE_Q3, SHAPE_Q)

/* The same when only the fields that analyses read are decoded (decode_plan.c). */
#define FORMAT_SHAPES_WANTED(X)                                                                    \
	X(switch_wanted, SHAPE_U, SHAPE_X, SHAPE_N, SHAPE_L, SHAPE_N)                              \
	X(waking_wanted, SHAPE_K, SHAPE_N, SHAPE_C)                                                \
	X(wakeup_wanted, SHAPE_W, SHAPE_N, SHAPE_C)                                                \
	X(switch_unnamed, SHAPE_U, SHAPE_X, SHAPE_L)                                               \
	X(waking_unnamed, SHAPE_K, SHAPE_C)                                                        \
	X(wakeup_unnamed, SHAPE_W, SHAPE_C)                                                        \
	X(stat_runtime_wanted, SHAPE_U, SHAPE_N)                                                   \
	X(kvm_entry_wanted, SHAPE_P, SHAPE_Q, SHAPE_Q)                                             \
	X(kvm_exit_wanted, SHAPE_Q3, SHAPE_Q3, SHAPE_Q, SHAPE_P)                                   \
	X(kvm_pio_wanted, SHAPE_Q3, SHAPE_Q, SHAPE_Q)                                              \
	X(kvm_msr_wanted, SHAPE_Q3, SHAPE_Q)

enum format_shape {
	FORMAT_SHAPE_ANY,
#define X(name, ...) FORMAT_SHAPE_##name,
	FORMAT_SHAPES(X)
#undef X
		FORMAT_SHAPE_COUNT,
};

#define FORMAT_SHAPE_STEPS 16

/* format_shape_of - the shape of @type, whose paths must be set. */
enum format_shape format_shape_of(const struct format_type *type);

#endif
