/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * array.h - a growable array of any type.
 *
 *	struct windows {
 *		ARRAY(struct window) all;
 *	} w = { 0 };
 *	struct window *new = array_add(&w.all);    // zeroed; NULL: out of memory
 *
 * The zero value is an empty array; at[0] to at[n - 1] are its elements.
 *
 * Threads    one at a time per array
 * Failure    out of memory, and sizes that cannot be allocated, are the same: NULL or -ENOMEM,
 *            and the array is unchanged
 * Ownership  caller's storage, array_fini() empties it; growing moves the elements, so a
 *            pointer to one is valid until the next call that adds
 */
#ifndef BASE_MEMORY_ARRAY_H
#define BASE_MEMORY_ARRAY_H

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define ARRAY(T)                                                                                   \
	struct {                                                                                   \
		T *at;                                                                             \
		size_t n, cap;                                                                     \
	}

/* array_grow - moves @at, with @size bytes per element, to memory for at least @want elements, and
 * sets *cap to how many fit; NULL, with @at and *cap untouched, when out of memory. */
void *array_grow(void *at, size_t *cap, size_t want, size_t size);

/* array_reserve - room for @want elements in total, so that adding up to there cannot fail; 0 or
 * -ENOMEM. */
#define array_reserve(a, want)                                                                     \
	({                                                                                         \
		__typeof__(a) ar_a_ = (a);                                                         \
		size_t ar_want_ = (want);                                                          \
		void *ar_p_ = ar_a_->at;                                                           \
		int ar_rc_ = 0;                                                                    \
		if (ar_want_ > ar_a_->cap) {                                                       \
			ar_p_ = array_grow(ar_p_, &ar_a_->cap, ar_want_, sizeof(*ar_a_->at));      \
			ar_rc_ = ar_p_ ? 0 : -ENOMEM;                                              \
			if (ar_p_)                                                                 \
				ar_a_->at = ar_p_;                                                 \
		}                                                                                  \
		ar_rc_;                                                                            \
	})

/* array_add - one more element, zeroed: a pointer to it, or NULL. */
#define array_add(a)                                                                               \
	({                                                                                         \
		__typeof__(a) aa_a_ = (a);                                                         \
		__typeof__(aa_a_->at) aa_new_ = NULL;                                              \
		if (aa_a_->n < aa_a_->cap || !array_reserve(aa_a_, aa_a_->n + 1))                  \
			aa_new_ = memset(&aa_a_->at[aa_a_->n++], 0, sizeof(*aa_new_));             \
		aa_new_;                                                                           \
	})

/* array_push - one more element, a copy of @value; 0 or -ENOMEM. */
#define array_push(a, ...)                                                                         \
	({                                                                                         \
		__typeof__(a) ap_a_ = (a);                                                         \
		int ap_rc_ = ap_a_->n < ap_a_->cap ? 0 : array_reserve(ap_a_, ap_a_->n + 1);       \
		if (!ap_rc_) {                                                                     \
			ap_a_->at[ap_a_->n] = (__VA_ARGS__); /* which may look at n */             \
			ap_a_->n++;                                                                \
		}                                                                                  \
		ap_rc_;                                                                            \
	})

/* array_resize - exactly @count elements; new ones are zeroed; 0 or -ENOMEM. */
#define array_resize(a, count)                                                                     \
	({                                                                                         \
		__typeof__(a) as_a_ = (a);                                                         \
		size_t as_n_ = (count);                                                            \
		int as_rc_ = array_reserve(as_a_, as_n_);                                          \
		if (!as_rc_) {                                                                     \
			if (as_n_ > as_a_->n)                                                      \
				memset(&as_a_->at[as_a_->n], 0,                                    \
				       (as_n_ - as_a_->n) * sizeof(*as_a_->at));                   \
			as_a_->n = as_n_;                                                          \
		}                                                                                  \
		as_rc_;                                                                            \
	})

/* array_fini - frees the elements (not what they point to) and leaves an empty array. */
#define array_fini(a)                                                                              \
	do {                                                                                       \
		__typeof__(a) af_a_ = (a);                                                         \
		free(af_a_->at);                                                                   \
		af_a_->at = NULL;                                                                  \
		af_a_->n = af_a_->cap = 0;                                                         \
	} while (0)

#endif
