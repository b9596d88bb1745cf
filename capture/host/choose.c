/* SPDX-License-Identifier: GPL-2.0-only */
/* Chooses the events to record. */
#include "capture/host/choose.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/text/suggest.h"
#include "capture/host/choose_internal.h"
#include "capture/host/rings.h"
#include "capture/host/tracefs.h"
#include "convert/formats.h"
#include "convert/sampled.h"

/*
 * The default: the events that tables and pictures use (analyze/walk/types.c), and no others.
 *
 * sched_wakeup adds almost nothing to sched_waking (analyze/windows/early_wakes.c), and
 * sched_stat_runtime is the sum of the slices between switches: the two are half of all events of
 * sched:*, so they are left out. On each architecture the KVM events of the others are missing.
 */
static const char *const defaults[] = {
	"sched:sched_switch",
	"sched:sched_waking",
	"sched:sched_wakeup_new",
	"sched:sched_migrate_task",
	"sched:sched_stat_iowait",
	"sched:sched_process_fork",
	"sched:sched_process_exec",
	"kvm:kvm_entry",
	"kvm:kvm_exit",
	"kvm:kvm_userspace_exit",
	"kvm:kvm_pio",
	"kvm:kvm_mmio",
	"kvm:kvm_msr",
	"kvm:kvm_inj_virq",
	"kvm:kvm_write_tsc_offset",
	"kvm:kvm_s390_sie_enter",
	"kvm:kvm_s390_sie_exit",
	"kvm:kvm_enter",
	"kvm:kvm_reenter",
	"kvm:kvm_exit_idle",
	"kvm:kvm_exit_cache",
	"kvm:kvm_exit_cpucfg",
	"kvm:kvm_exit_csr",
};

int choice_init(struct choice *c, struct cdict_error *err)
{
	char root[4096];
	int ret;

	*c = (struct choice){ 0 };
	ret = tracefs_find(root, sizeof(root), err);
	if (ret)
		return ret;
	c->root = strdup(root);
	return c->root ? 0 : cdict_fail_nomem(err);
}

void chosen_fini(struct chosen *ev)
{
	free(ev->name);
	free(ev->system);
	free(ev->event);
	free(ev->format);
	free(ev->filter);
}

void choice_fini(struct choice *c)
{
	for (size_t i = 0; i < c->events.n; i++)
		chosen_fini(&c->events.at[i]);
	array_fini(&c->events);
	free(c->root);
	buf_fini(&c->missing);
	*c = (struct choice){ 0 };
}

int choice_add_event(struct choice *c, const char *name, const struct perf_event_attr *sampled,
		     struct cdict_error *err)
{
	struct chosen *at = c->events.at, ev = { .type = -1, .sampled = sampled != NULL };
	const char *colon = strchr(name, ':');
	int ret;

	for (size_t i = 0; i < c->events.n; i++)
		if (!strcmp(at[i].name, name)) {
			/* Named again: a filter that follows also applies to it. */
			ev = at[i];
			memmove(&at[i], &at[i + 1], (c->events.n - i - 1) * sizeof(*at));
			at[c->events.n - 1] = ev;
			if (i < c->last)
				c->last--;
			return 0;
		}
	if (array_reserve(&c->events, c->events.n + 1))
		return cdict_fail_nomem(err);
	ev.name = strdup(name);
	ev.system = strndup(name, (size_t)(colon - name));
	ev.event = strdup(colon + 1);
	ret = ev.name && ev.system && ev.event ? 0 : cdict_fail_nomem(err);
	if (!ret && sampled) {
		ev.attr = *sampled;
		c->n_sampled++;
	} else if (!ret) {
		ret = tracefs_format(c->root, ev.system, ev.event, &ev.format, &ev.format_len,
				     &ev.id, err);
	}
	c->events.at[c->events.n++] = ev;
	return ret;
}

/* perf's modifiers (perf-list(1), "EVENT MODIFIERS"): the first of u, k, h excludes the other modes. */
static int read_modifiers(const char *text, unsigned * not, struct cdict_error *err)
{
	bool some = false;

	*not = 0;
	for (const char *p = text; *p; p++) {
		unsigned is = *p == 'u'   ? CHOICE_NOT_USER
			      : *p == 'k' ? CHOICE_NOT_KERNEL
			      : *p == 'h' ? CHOICE_NOT_HV
					  : 0;

		if (is && !some)
			*not |= CHOICE_NOT_USER | CHOICE_NOT_KERNEL | CHOICE_NOT_HV;
		some |= is != 0;
		*not &= ~is;
		if (*p == 'G' || *p == 'H')
			*not |= *p == 'G' ? CHOICE_NOT_HOST : CHOICE_NOT_GUEST;
		else if (!is && *p != 'D') /* pinned: tracepoints always are */
			return cdict_fail(
				err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				"modifier '%c' in ':%s' cannot be used with a tracepoint, which is not sampled",
				*p, text);
	}
	return 0;
}

static bool is_system(const struct choice *c, const char *name, size_t len)
{
	char path[4096];

	return (size_t)snprintf(path, sizeof(path), "%s/events/%.*s", c->root, (int)len, name) <
		       sizeof(path) &&
	       !access(path, F_OK);
}

/* Cuts off the modifiers and returns them; NULL: none. */
static char *cut_modifiers(const struct choice *c, char *glob)
{
	char *first = strchr(glob, ':'), *last = strrchr(glob, ':');

	if (!first)
		return NULL;
	if (first == last && (last[strspn(last, ":ukhGHDpPSWeIb")] || !last[1] ||
			      is_system(c, glob, (size_t)(first - glob))))
		return NULL;
	*last = '\0';
	return last + 1;
}

static bool is_pattern(const char *glob)
{
	return glob[strcspn(glob, "*?[")];
}

/* "*:sched", made from "sched". */
static bool is_bare(const char *glob)
{
	return !strncmp(glob, "*:", 2);
}

static int no_event(struct choice *c, const char *glob, struct cdict_error *err)
{
	struct texts names = { 0 };
	bool bare = is_bare(glob);
	struct suggest s;
	int ret;

	suggest_begin(&s, bare ? glob + 2 : glob, strlen(glob) - 2 * bare);
	if (!is_pattern(glob + 2 * bare) && !tracefs_names(&names, c->root, "*:*", err)) {
		for (size_t i = 0; i < names.n; i++)
			suggest_try(&s, bare ? strchr(names.at[i], ':') + 1 : names.at[i]);
	}
	ret = cdict_fail(
		err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
		c->samples && bare
			? "this kernel has no event '%s'%s; 'perf list' lists those it has"
			: "this kernel has no tracepoint '%s'%s; 'perf list tracepoint' lists those it has",
		s.asked, suggest_text(&s, ""));
	texts_fini(&names);
	return ret;
}

/* A system's name alone means all of its events, as for trace-cmd (base/event_glob.h). */
static int add_system(const struct choice *c, struct texts *names, const char *system,
		      struct cdict_error *err)
{
	char glob[256];

	if (!*system || is_pattern(system) || !is_system(c, system, strlen(system)) ||
	    (size_t)snprintf(glob, sizeof(glob), "%s:*", system) >= sizeof(glob))
		return 0;
	return tracefs_names(names, c->root, glob, err);
}

static int add_glob(struct choice *c, const char *glob, unsigned not, struct cdict_error *err)
{
	struct texts names = { 0 };
	size_t before;
	int ret;

	if (strchr(glob, '/'))
		return cdict_fail(
			err, CDICT_EUSAGE, CDICT_NO_OFFSET,
			"'%s' is not a tracepoint; expected a name such as sched:sched_switch",
			glob);
	ret = tracefs_names(&names, c->root, glob, err);
	if (!ret && is_bare(glob))
		ret = add_system(c, &names, glob + 2, err);
	if (!ret && !names.n)
		ret = no_event(c, glob, err);
	for (size_t i = 0; i < names.n && !ret; i++) {
		before = c->events.n;
		ret = choice_add_event(c, names.at[i], NULL, err);
		if (!ret)
			c->events.at[before < c->events.n ? before : c->events.n - 1].not = not ;
	}
	texts_fini(&names);
	return ret;
}

static int add_missing(struct choice *c, const char *name, struct cdict_error *err)
{
	if (c->missing.len)
		c->missing.len--; /* without the NUL */
	buf_printf(&c->missing, "%s%s", c->missing.len ? ", " : "", name);
	buf_u8(&c->missing, 0);
	return c->missing.failed ? cdict_fail_nomem(err) : 0;
}

/* Adds one item of a list: a name or a pattern, with its own modifiers or its group's. */
static int add_named(struct choice *c, char *item, const char *of_group, struct cdict_error *err)
{
	char *modifiers, bare[256];
	const char *glob = item;
	bool added = false;
	unsigned not ;
	int ret = choice_add_sampled(c, item, of_group, &added, err);

	if (ret || added)
		return ret;
	modifiers = cut_modifiers(c, item);
	ret = read_modifiers(modifiers ? modifiers : of_group, &not, err);
	if (ret)
		return ret;
	if (!strchr(item, ':')) {
		snprintf(bare, sizeof(bare), "*:%s", item);
		glob = bare;
	}
	ret = add_glob(c, glob, not, err);
	if (ret == CDICT_ENOTFOUND && is_pattern(item))
		ret = add_missing(c, item, err);
	return ret;
}

/* Handles groups, "{a,b}:k"; @item is the part up to a comma, @rest the text after it. Returns
 * NULL, or the error. */
static const char *in_groups(char *item, const char *rest, bool *in_group, char of_group[16])
{
	char *close;

	if (*item == '{') {
		const char *end = strchr(item, '}');

		end = end || !rest ? end : strchr(rest, '}');
		if (*in_group || !end)
			return *in_group ? "groups cannot be nested" : "'{' without '}'";
		*in_group = true;
		if (end[1] == ':')
			snprintf(of_group, 16, "%.*s", (int)strcspn(end + 2, ","), end + 2);
		memmove(item, item + 1, strlen(item));
	}
	close = strchr(item, '}');
	if (!close)
		return NULL;
	if (!*in_group)
		return "'}' without '{'";
	*in_group = false;
	*close = '\0';
	return close[1] && close[1] != ':' ? "a group ends with '}' or '}:MODIFIERS'" : NULL;
}

/* Like strsep(), but a comma between slashes belongs to an event: cpu/event=0x3c,umask=1/. */
static char *next_item(char **rest)
{
	char *item = *rest, *end = item;
	bool terms = false;

	for (; end && *end && (*end != ',' || (terms && strchr(end, '/'))); end++)
		terms ^= *end == '/';
	*rest = end && *end ? end + 1 : NULL;
	if (*rest)
		*end = '\0';
	return item;
}

int choice_add(struct choice *c, const char *list, struct cdict_error *err)
{
	char *copy = strdup(list), *rest = copy, *item, of_group[16] = "";
	bool in_group = false;
	const char *wrong;
	int ret = copy ? 0 : cdict_fail_nomem(err);

	c->last = c->events.n;
	while (!ret && (item = next_item(&rest))) {
		wrong = in_groups(item, rest, &in_group, of_group);
		if (!wrong && !*item)
			wrong = "an event name is empty";
		if (wrong)
			ret = cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "'%s': %s", list,
					 wrong);
		else
			ret = add_named(c, item, of_group, err);
		if (!in_group)
			of_group[0] = '\0';
	}
	free(copy);
	return ret;
}

int choice_defaults(struct choice *c, struct cdict_error *err)
{
	int ret = 0;

	c->last = c->events.n;
	for (size_t i = 0; i < sizeof(defaults) / sizeof(defaults[0]) && !ret; i++) {
		struct cdict_error why = { 0 };

		ret = add_glob(c, defaults[i], 0, &why);
		if (ret == CDICT_ENOTFOUND) {
			ret = add_missing(c, defaults[i], err);
		} else if (ret) {
			*err = why;
		}
	}
	if (!ret && !c->events.n)
		ret = cdict_fail(err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
				 "this kernel has neither scheduler nor KVM tracepoints");
	return ret;
}

int choice_filter(struct choice *c, const char *filter, struct cdict_error *err)
{
	if (c->last == c->events.n)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "option --filter must follow the -e that it applies to");
	for (size_t i = c->last; i < c->events.n; i++) {
		struct chosen *ev = &c->events.at[i];
		char *both;

		if (ev->sampled)
			return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
					  "option --filter: '%s' is not a tracepoint", ev->event);
		if (asprintf(&both, ev->filter ? "(%s) && (%s)" : "%s%s",
			     ev->filter ? ev->filter : "", filter) < 0)
			return cdict_fail_nomem(err);
		free(ev->filter);
		ev->filter = both;
	}
	return 0;
}

int choice_schema(struct choice *c, struct cdict_schema **schema, struct cdict_error *err)
{
	struct perfdata_tracing tracing = {
		.present = true,
		.big_endian = NATIVE_BIG,
		.long_size = (int)sizeof(long),
		.page_size = (uint32_t)sysconf(_SC_PAGESIZE),
	};
	struct formats formats;
	int ret = 0;

	formats_init(&formats, NULL, 0);
	formats.schema = cdict_schema_new(tracing.big_endian, (unsigned)tracing.long_size,
					  tracing.page_size);
	if (!formats.schema)
		return cdict_fail_nomem(err);
	for (size_t i = 0; i < c->events.n && !ret; i++) {
		struct chosen *ev = &c->events.at[i];
		struct perfdata_format format = { ev->system, ev->format, ev->format_len };

		ret = ev->sampled ? sampled_add(formats.schema, ev->event, err)
				  : formats_add(&formats, &tracing, &format, ev->name, err);
		if (ret >= 0) {
			ev->type = ret;
			ret = 0;
		}
	}
	if (!ret) {
		*schema = formats.schema;
		formats.schema = NULL;
	}
	formats_fini(&formats);
	return ret;
}

/* --- excluding the recorder itself --- */

/*
 * The recorder's own activity is filtered out in the kernel.
 *
 * The filters exclude what the recorder's threads do to themselves, and what affects only them:
 * scheduler events with a recorder's thread in their field "pid" (it is woken, migrated, charged),
 * and its system calls.
 *
 * Everything about other tasks stays. sched_switch always stays: the task that the recorder
 * displaced did not run meanwhile, and only the switch from or to the recorder shows it. So do
 * events of other tasks that happen in the recorder's context, such as an interrupt that wakes a
 * vCPU while the recorder runs: a filter on common_pid would lose them.
 */

/* The kernel accepts at most one page. */
#define FILTER_MAX 4000u

/* Whether a format text has the line of @field: "\tfield:pid_t pid;". */
static bool has_field(const char *format, const char *field)
{
	char want[64];

	snprintf(want, sizeof(want), " %s;\t", field);
	return strstr(format, want) != NULL;
}

/* Excludes @own: "pid != 7", "(pid < 7 || pid > 9)"; threads created one after another have
 * consecutive tids. */
static void but_not(const char *field, const int32_t *own, size_t n, struct buf *out)
{
	for (size_t i = 0, j; i < n; i = j) {
		for (j = i + 1; j < n && own[j] == own[j - 1] + 1;)
			j++;
		if (i)
			buf_printf(out, " && ");
		if (j == i + 1)
			buf_printf(out, "%s != %d", field, own[i]);
		else
			buf_printf(out, "(%s < %d || %s > %d)", field, own[i], field, own[j - 1]);
	}
}

void choice_full_filter(const struct chosen *ev, const int32_t *own, size_t n_own, struct buf *out)
{
	const char *field = NULL;
	size_t start = out->len;

	if (!strcmp(ev->system, "sched") && has_field(ev->format, "pid"))
		field = "pid";
	else if (!strcmp(ev->system, "syscalls") || !strcmp(ev->system, "raw_syscalls"))
		field = "common_pid";
	if (field && n_own) {
		if (ev->filter)
			buf_printf(out, "(%s) && ", ev->filter);
		but_not(field, own, n_own, out);
		if (out->len - start <= FILTER_MAX)
			return;
		out->len = start;
	}
	if (ev->filter)
		buf_printf(out, "%s", ev->filter);
}
