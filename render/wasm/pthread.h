/* SPDX-License-Identifier: GPL-2.0-only */
/* The page's worker is one thread, and wasi-libc has no other: the reader's locks do nothing. */
#ifndef RENDER_WASM_PTHREAD_H
#define RENDER_WASM_PTHREAD_H

typedef struct {
	char none;
} pthread_mutex_t;

static inline int pthread_mutex_init(pthread_mutex_t *m, const void *attributes)
{
	(void)m;
	(void)attributes;
	return 0;
}

static inline int pthread_mutex_lock(pthread_mutex_t *m)
{
	(void)m;
	return 0;
}

static inline int pthread_mutex_unlock(pthread_mutex_t *m)
{
	(void)m;
	return 0;
}

static inline int pthread_mutex_destroy(pthread_mutex_t *m)
{
	(void)m;
	return 0;
}

#endif
