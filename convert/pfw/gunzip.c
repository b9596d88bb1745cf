/* SPDX-License-Identifier: GPL-2.0-only */
#include "convert/pfw/gunzip.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/shared_object.h"

/* ---- ISA-L; systems without it have no header, either ---- */

#if __has_include(<isa-l/igzip_lib.h>)

#include <isa-l/igzip_lib.h>

struct gunzip_isal {
	struct inflate_state state;
	/* isal_inflate() forgets a partial header; this keeps it */
	struct isal_gzip_header header;
	bool headed;
};

static struct {
	__typeof__(&isal_inflate_init) init;
	__typeof__(&isal_gzip_header_init) header_init;
	__typeof__(&isal_read_gzip_header) read_header;
	__typeof__(&isal_inflate) inflate;
} isal;

static bool isal_is_there(void)
{
	static const char *const names[] = { "libisal.so.2", NULL };
	static const struct shared_function functions[] = {
		{ "isal_inflate_init", &isal.init },
		{ "isal_gzip_header_init", &isal.header_init },
		{ "isal_read_gzip_header", &isal.read_header },
		{ "isal_inflate", &isal.inflate },
	};
	static struct shared_object so = {
		.use = "gzip is read by ISA-L",
		.package = "libisal2",
		.names = names,
		.functions = functions,
		.n = sizeof(functions) / sizeof(functions[0]),
	};
	struct cdict_error why;

	return !shared_object_load(&so, &why);
}

/* Zeroes the state: ISA-L accepts matches before the member's first byte, and would copy bytes of
 * another member, or uninitialized memory, from its window. */
static void isal_next(struct gunzip_isal *g)
{
	memset(&g->state, 0, sizeof(g->state));
	isal.init(&g->state);
	isal.header_init(&g->header);
	g->state.crc_flag = ISAL_GZIP_NO_HDR_VER;
	g->headed = false;
}

static struct gunzip_isal *isal_new(void)
{
	struct gunzip_isal *g = malloc(sizeof(*g));

	if (!g)
		return NULL;
	isal_next(g);
	return g;
}

static enum gunzip_state isal_run(struct gunzip *g)
{
	struct inflate_state *s = &g->isal->state;
	int ret = ISAL_DECOMP_OK;

	s->next_in = (uint8_t *)g->next_in;
	s->avail_in = (uint32_t)g->avail_in;
	s->next_out = g->next_out;
	s->avail_out = (uint32_t)g->avail_out;
	if (!g->isal->headed) {
		ret = isal.read_header(s, &g->isal->header);
		g->isal->headed = ret == ISAL_DECOMP_OK;
	}
	if (g->isal->headed)
		ret = isal.inflate(s);
	g->next_out = s->next_out;
	g->avail_out = s->avail_out;
	/* When it stops at an invalid symbol, it may have counted bits beyond the input: then
	 * avail_in is negative, and it must not be called again. */
	if (s->avail_in > g->avail_in) {
		g->next_in += g->avail_in;
		g->avail_in = 0;
		return GUNZIP_DAMAGED;
	}
	/* next_in is unreliable when a check sum is wrong */
	g->next_in += g->avail_in - s->avail_in;
	g->avail_in = s->avail_in;
	if (ret != ISAL_DECOMP_OK && ret != ISAL_END_INPUT && ret != ISAL_OUT_OVERFLOW)
		return GUNZIP_DAMAGED;
	return s->block_state == ISAL_BLOCK_FINISH ? GUNZIP_END : GUNZIP_MORE;
}

#else

struct gunzip_isal;

static bool isal_is_there(void)
{
	return false;
}

static void isal_next(struct gunzip_isal *g)
{
	(void)g;
}

static struct gunzip_isal *isal_new(void)
{
	return NULL;
}

static enum gunzip_state isal_run(struct gunzip *g)
{
	(void)g;
	return GUNZIP_DAMAGED;
}

#endif

int gunzip_open_zlib(struct gunzip *g)
{
	*g = (struct gunzip){ 0 };
	/* 31: with gzip header and trailer */
	return inflateInit2(&g->z, 31) == Z_OK ? 0 : -ENOMEM;
}

int gunzip_open(struct gunzip *g)
{
	if (!isal_is_there())
		return gunzip_open_zlib(g);
	*g = (struct gunzip){ .isal = isal_new() };
	return g->isal ? 0 : -ENOMEM;
}

void gunzip_next(struct gunzip *g)
{
	if (g->isal)
		isal_next(g->isal);
	else
		inflateReset(&g->z);
}

enum gunzip_state gunzip_run(struct gunzip *g)
{
	int ret;

	if (g->isal)
		return isal_run(g);
	g->z.next_in = (Bytef *)g->next_in;
	g->z.avail_in = (uInt)g->avail_in;
	g->z.next_out = g->next_out;
	g->z.avail_out = (uInt)g->avail_out;
	ret = inflate(&g->z, Z_NO_FLUSH);
	g->next_in = g->z.next_in;
	g->avail_in = g->z.avail_in;
	g->next_out = g->z.next_out;
	g->avail_out = g->z.avail_out;
	switch (ret) {
	case Z_OK:
	case Z_BUF_ERROR:
		return GUNZIP_MORE;
	case Z_STREAM_END:
		return GUNZIP_END;
	case Z_MEM_ERROR:
		return GUNZIP_NOMEM;
	}
	return GUNZIP_DAMAGED;
}

void gunzip_close(struct gunzip *g)
{
	if (g->isal)
		free(g->isal);
	else
		inflateEnd(&g->z);
	g->isal = NULL;
}
