// SPDX-License-Identifier: GPL-2.0-only
#include "annotate/library.h"

#include "base/system/shared_object.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

struct library_curl curl;
struct library_json json;

void library_json_delete(json_t *value)
{
	json.delete(value);
}

static void prepare_curl(void)
{
	curl.global_init(CURL_GLOBAL_DEFAULT);
}

int library_curl(struct cdict_error *err)
{
	/* Debian's GnuTLS build first; other systems have only one. */
	static const char *const names[] = { "libcurl-gnutls.so.4", "libcurl.so.4", NULL };
	static const struct shared_function functions[] = {
#define X(name) { "curl_" #name, &curl.name },
		LIBRARY_CURL(X)
#undef X
	};
	static struct shared_object so = {
		.use = "OpenStack queries need libcurl",
		.package = "libcurl3-gnutls",
		.names = names,
		.functions = functions,
		.n = ARRAY_SIZE(functions),
		.prepare = prepare_curl,
	};

	return shared_object_load(&so, err);
}

int library_json(struct cdict_error *err)
{
	static const char *const names[] = { "libjansson.so.4", NULL };
	static const struct shared_function functions[] = {
#define X(name) { "json_" #name, &json.name },
		LIBRARY_JSON(X)
#undef X
			{ "json_delete", &json.delete },
	};
	static struct shared_object so = {
		.use = "reading JSON needs jansson",
		.package = "libjansson4",
		.names = names,
		.functions = functions,
		.n = ARRAY_SIZE(functions),
	};

	return shared_object_load(&so, err);
}
