/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds formats for a recording whose recorder wrote none. */
#include "cmd/input/lending.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/text/plural.h"
#include "capture/host/same_kernel.h"
#include "capture/host/tracefs.h"
#include "convert/lent.h"

/* Whether it can be read twice: a regular file or a directory. */
static bool is_whole(const char *input, struct stat *st)
{
	int rc = strcmp(input, "-") ? stat(input, st) : fstat(STDIN_FILENO, st);

	return !rc && (S_ISREG(st->st_mode) || (S_ISDIR(st->st_mode) && strcmp(input, "-")));
}

static int survey(struct lent_survey *s, const struct lending *l, struct cdict_error *err)
{
	struct perfdata *again;
	int ret = perfdata_open(&again, l->input, err);

	*s = (struct lent_survey){ 0 };
	if (!ret)
		ret = lent_survey(s, l->lent, again, err);
	perfdata_close(again);
	return ret;
}

/* Counts events that have samples but no format. */
static size_t untyped(const struct lent_survey *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->events.n; i++) {
		const struct lent_event *ev = &s->events.at[i];

		n += ev->tracepoint && !ev->own && !ev->type && ev->samples;
	}
	return n;
}

static size_t typed(const struct lent_survey *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->events.n; i++)
		n += s->events.at[i].type != NULL;
	return n;
}

/* Describes the first event whose samples do not fit its format. */
static void say_misfit(const struct lent_survey *s, char *out, size_t size)
{
	for (size_t i = 0; i < s->events.n; i++) {
		const struct lent_event *ev = &s->events.at[i];

		if (!ev->misfits)
			continue;
		snprintf(out, size,
			 "format mismatch in %s of %s samples of %.80s "
			 "(id %" PRIu64 "): the first has %u bytes, the format %u",
			 GROUPED(ev->misfits), GROUPED(ev->samples), ev->type->name, ev->id,
			 ev->misfit_size, ev->type->payload_size);
		return;
	}
}

static int take_survey(struct lending *l, const struct lent_survey *s, const char *source,
		       struct convert_lent *out, struct cdict_error *err)
{
	out->tracing = lent_formats(l->lent, s);
	out->source = source;
	return out->tracing ? 0 : cdict_fail_nomem(err);
}

/* --- from this host --- */

static uint64_t ns(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_nsec;
}

/* Whether @s, of a file written at @written, was recorded on this machine since its boot; the
 * reason in @text. */
static bool is_of_here(const struct perfdata *pd, const struct lent_survey *s,
		       const struct timespec *written, char *text, size_t size)
{
	const struct perfdata_features *f = perfdata_features(pd);
	struct same_kernel_file file = {
		.release = f->osrelease, .machine = f->arch, .written_ns = ns(written), .survey = s
	};
	struct same_kernel_host host = { .big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };
	struct timespec wall, since;
	struct utsname names;
	bool same;

	if (uname(&names) || clock_gettime(CLOCK_REALTIME, &wall) ||
	    clock_gettime(CLOCK_BOOTTIME, &since))
		return false;
	host.release = names.release;
	host.machine = names.machine;
	host.boot_ns = ns(&wall) - ns(&since);
	for (size_t i = 0; i < perfdata_event_count(pd); i++)
		file.clocked |= perfdata_event_at(pd, i)->use_clockid;
	host.proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	same = same_kernel(&host, &file, text, size);
	if (host.proc >= 0)
		close(host.proc);
	return same;
}

/* Opens this host's formats; false, with out->why, when they cannot be read. */
static bool open_here(struct lending *l, struct convert_lent *out, struct cdict_error *err)
{
	char root[4096], events[4096 + 8];

	if (!tracefs_find(root, sizeof(root), err)) {
		snprintf(events, sizeof(events), "%s/events", root);
		if (!lent_open(&l->lent, events, l->how->events, l->how->n_events, err))
			return true;
	}
	snprintf(out->why, sizeof(out->why), "cannot read this host's formats: %.300s", err->text);
	return false;
}

/* When the file, or a directory's "data", was last written. */
static bool time_written(const char *input, struct timespec *t)
{
	char data[4096];
	struct stat st;

	if (!is_whole(input, &st))
		return false;
	if (S_ISDIR(st.st_mode)) {
		snprintf(data, sizeof(data), "%s/data", input);
		if (stat(data, &st))
			return false;
	}
	*t = st.st_mtim;
	return true;
}

static int from_here(struct lending *l, const struct perfdata *pd, struct convert_lent *out,
		     struct cdict_error *err)
{
	struct lent_survey s = { 0 };
	struct timespec written;
	char text[256] = "";
	int ret;

	if (!time_written(l->input, &written))
		return 0;
	if (!open_here(l, out, err))
		return err->code == -ENOMEM ? -ENOMEM : 0;
	ret = survey(&s, l, err);
	if (ret) {
		ret = ret == -ENOMEM ? ret : 0; /* the conversion will report the same error */
	} else if (!typed(&s)) {
		snprintf(out->why, sizeof(out->why), "none of its event ids exists on this host");
	} else if (!is_of_here(pd, &s, &written, text, sizeof(text))) {
		snprintf(out->why, sizeof(out->why), "cannot use this host's formats: %.255s",
			 text);
	} else if (s.misfits) {
		say_misfit(&s, text, sizeof(text));
		snprintf(out->why, sizeof(out->why), "cannot use this host's formats: %.255s",
			 text);
	} else {
		ret = take_survey(l, &s, "tracefs", out, err);
		if (!ret)
			cmd_warn(l->call, strcmp(l->input, "-") ? l->input : NULL,
				 "took the formats of %s event%s from this host's tracefs: the "
				 "recording is from this kernel (%s), and all samples fit (%s)",
				 GROUPED(typed(&s)), typed(&s) == 1 ? "" : "s", text,
				 GROUPED(s.samples));
	}
	lent_survey_fini(&s);
	return ret;
}

/* --- from --formats --- */

static int is_possible(const struct lending *l, const struct perfdata *pd, struct cdict_error *err)
{
	const struct perfdata_features *f = perfdata_features(pd);
	const char *kernel = lent_kernel(l->lent), *arch = lent_arch(l->lent);

	if (!lent_order_is(l->lent, perfdata_big_endian(pd)))
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "--formats %.200s is from a machine with the other byte order",
				  l->formats);
	if (arch && f->arch && strcmp(arch, f->arch) != 0)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "--formats %.100s is for architecture %.40s, the recording "
				  "for %.40s",
				  l->formats, arch, f->arch);
	if (kernel && f->osrelease && strcmp(kernel, f->osrelease) != 0)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "--formats %.100s is from kernel %.64s, the recording from %.64s",
				  l->formats, kernel, f->osrelease);
	return 0;
}

/* Compares the release in a module's path among the records, when the header has none. */
static int is_possible_now(const struct lending *l, const struct lent_survey *s,
			   struct cdict_error *err)
{
	const char *kernel = lent_kernel(l->lent);

	if (!kernel || !s->release[0] || !strcmp(kernel, s->release))
		return 0;
	return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
			  "--formats %.100s is from kernel %.64s, the recording from %.64s",
			  l->formats, kernel, s->release);
}

static int from_source(struct lending *l, const struct perfdata *pd, struct convert_lent *out,
		       struct cdict_error *err)
{
	struct lent_survey s = { .big = perfdata_big_endian(pd) };
	struct stat st;
	int ret = is_possible(l, pd, err);

	if (ret)
		return ret;
	if (is_whole(l->input, &st)) {
		ret = survey(&s, l, err);
		if (!ret)
			ret = is_possible_now(l, &s, err);
	} else { /* compare event ids only */
		ret = lent_survey_events(&s, l->lent, pd, err);
		out->each = l->lent;
	}
	l->used = true;
	if (!ret && s.misfits)
		say_misfit(&s, out->left_out, sizeof(out->left_out) - 20);
	else if (!ret && untyped(&s))
		snprintf(out->left_out, sizeof(out->left_out),
			 "skipped %s event type%s: no format in %.120s", GROUPED(untyped(&s)),
			 untyped(&s) == 1 ? "" : "s", l->formats);
	if (!ret && !typed(&s)) {
		snprintf(out->why, sizeof(out->why),
			 "none of its event ids is in %.200s, which is from another kernel",
			 l->formats);
	} else if (!ret && s.misfits > s.samples / 2) {
		snprintf(out->why, sizeof(out->why),
			 "the formats in %.120s are from another kernel: %.200s", l->formats,
			 out->left_out);
	} else if (!ret) {
		if (s.misfits)
			strcat(out->left_out, "; it is skipped");
		ret = take_survey(l, &s, lent_source(l->lent), out, err);
	}
	lent_survey_fini(&s);
	return ret;
}

static int lend(void *ctx, const struct perfdata *pd, struct convert_lent *out,
		struct cdict_error *err)
{
	struct lending *l = ctx;

	return l->formats ? from_source(l, pd, out, err) : from_here(l, pd, out, err);
}

int lending_init(struct lending *l, const struct cmd_call *call, const char *input,
		 const char *formats, struct convert_options *how)
{
	struct cdict_error err = { 0 };

	*l = (struct lending){ .call = call, .input = input, .formats = formats, .how = how };
	how->lend = lend;
	how->lend_ctx = l;
	if (formats && lent_open(&l->lent, formats, how->events, how->n_events, &err))
		return cmd_error(call, formats, &err);
	return CMD_DONE;
}

void lending_fini(struct lending *l)
{
	lent_close(l->lent);
	l->lent = NULL;
}
