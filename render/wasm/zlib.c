/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of zlib that the reader uses, for WebAssembly, for which Debian has no zlib: inflate by
 * stb_image's PNG decoder, from Debian's libstb-dev, and CRC-32.
 */
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#define STBI_NO_STDIO
#define STBI_NO_LINEAR
#define STBI_NO_FAILURE_STRINGS
#define STBI_NO_THREAD_LOCALS
#define STBI_ASSERT(x) ((void)(x))
#include <stb/stb_image.h>
#include <zlib.h>

int inflateInit2_(z_streamp z, int bits, const char *version, int size)
{
	(void)z;
	(void)version;
	(void)size;
	return bits == -15 ? Z_OK : Z_STREAM_ERROR;
}

int inflateReset(z_streamp z)
{
	(void)z;
	return Z_OK;
}

int inflateEnd(z_streamp z)
{
	(void)z;
	return Z_OK;
}

/* Nothing here deflates, but codec_free() also frees a writer's state. */
int deflateEnd(z_streamp z)
{
	(void)z;
	return Z_OK;
}

/* All at once: Z_FINISH, and room for all. */
int inflate(z_streamp z, int flush)
{
	stbi__zbuf a = { .zbuffer = (stbi_uc *)z->next_in };
	long used; /* bits */

	/* It reads up to 32 bits ahead before it decodes the last code: at the end those are bytes
	 * after the data, which are readable here.  The check below finds out whether it used any
	 * of them. */
	a.zbuffer_end = a.zbuffer + z->avail_in + 4;
	if (flush != Z_FINISH || !stbi__do_zlib(&a, (char *)z->next_out, (int)z->avail_out, 0, 0))
		return Z_DATA_ERROR;
	used = 8L * (long)(a.zbuffer - z->next_in) - a.num_bits;
	if (used > 8L * (long)z->avail_in)
		return Z_DATA_ERROR;
	z->avail_in -= (uInt)((used + 7) / 8);
	z->total_out = (uLong)(a.zout - a.zout_start);
	return Z_STREAM_END;
}

/* ---- CRC-32, eight bytes at a time ---- */

static uint32_t tables[8][256];

__attribute__((constructor)) static void make_tables(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;

		for (int bit = 0; bit < 8; bit++)
			c = c & 1 ? c >> 1 ^ 0xedb88320 : c >> 1;
		tables[0][i] = c;
	}
	for (uint32_t i = 0; i < 256; i++)
		for (int k = 1; k < 8; k++)
			tables[k][i] = tables[k - 1][i] >> 8 ^ tables[0][tables[k - 1][i] & 255];
}

uLong crc32_z(uLong crc, const Bytef *p, z_size_t n)
{
	uint32_t c = ~(uint32_t)crc, lo, hi;

	if (!p)
		return 0;
	for (; n >= 8; n -= 8, p += 8) {
		memcpy(&lo, p, 4); /* WebAssembly is little-endian */
		memcpy(&hi, p + 4, 4);
		lo ^= c;
		c = tables[7][lo & 255] ^ tables[6][lo >> 8 & 255] ^ tables[5][lo >> 16 & 255] ^
		    tables[4][lo >> 24] ^ tables[3][hi & 255] ^ tables[2][hi >> 8 & 255] ^
		    tables[1][hi >> 16 & 255] ^ tables[0][hi >> 24];
	}
	for (; n; n--)
		c = c >> 8 ^ tables[0][(c ^ *p++) & 255];
	return ~c;
}
