// SPDX-License-Identifier: LGPL-2.1-only
/* join.c - see join.h. */
#include "tables/guest/join.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analyze/guest/clock_fit.h"
#include "analyze/guest/clock_tsc.h"
#include "base/fail.h"
#include "format/file/guests.h"
#include "format/layout.h"
#include "tables/columns/tables.h"
#include "tables/guest/guests.h"
#include "tables/guest/trace_pair.h"

struct join {
	struct cdict_reader *host;
	struct tables_walk walk; /* for the VMs and their threads */
	struct fit_host *fit;    /* once a guest's clock is fitted */
};

/* A clock that the events contradict by more than this is refused. */
#define OFF_MAX_NS 1000000u

/* What was found out about a guest. */
struct match {
	const char *vm;  /* as tables show it */
	int32_t pid;     /* of its process */
	char found[64];  /* how */
	uint32_t *vcpus; /* owned */
	size_t n_vcpus, n_seen;
	struct guest_clock clock;
	char why[480]; /* there is no fit */
};

int join_new(struct join **out, struct cdict_reader *host, const struct tables_options *opts,
	     struct cdict_error *err)
{
	struct tables_options all = { .jobs = opts->jobs,
				      .names = { .labels = opts->names.labels } };
	struct join *j = calloc(1, sizeof(*j));
	int rc;

	*out = NULL;
	if (!j)
		return cdict_fail_nomem(err);
	j->host = host;
	rc = tables_walk_init(&j->walk, host, &all, err);
	if (!rc)
		rc = tables_walk_run(&j->walk, err);
	if (rc)
		join_free(j);
	else
		*out = j;
	return rc;
}

void join_free(struct join *j)
{
	if (!j)
		return;
	fit_host_free(j->fit);
	tables_walk_fini(&j->walk);
	free(j);
}

/* ---- by its UUID ---- */

/* The first vCPU of @vm (NULL: of any VM) with @uuid (NULL: any); or NULL. */
static const struct analyze_task *vcpu_of(const struct join *j, const char *vm, const char *uuid)
{
	for (size_t i = 0; i < analyze_engine_task_count(j->walk.eng); i++) {
		const struct analyze_task *task = analyze_engine_task(j->walk.eng, (uint32_t)i);
		const struct cdict_label *l;

		if (!task->is_vcpu || (vm && !names_is_vm(&j->walk.names, task, vm)))
			continue;
		l = uuid ? names_label(&j->walk.names, task) : NULL;
		if (!uuid || (l && l->uuid && !strcasecmp(l->uuid, uuid)))
			return task;
	}
	return NULL;
}

/* /etc/machine-id is often made from the DMI UUID (machine-id(5)): the same digits without dashes. */
static bool spread(char uuid[37], const char *machine_id)
{
	size_t n = 0;

	if (strlen(machine_id) != 32)
		return false;
	for (size_t i = 0; i < 32; i++) {
		if (i == 8 || i == 12 || i == 16 || i == 20)
			uuid[n++] = '-';
		uuid[n++] = machine_id[i];
	}
	uuid[n] = 0;
	return true;
}

/* ---- the clock ---- */

static int given_clock(struct match *m, const char *text, struct cdict_error *err)
{
	char *knots, *end;
	long long offset;
	int rc;

	m->clock.method = GUEST_CLOCK_GIVEN;
	errno = 0;
	offset = strtoll(text, &end, 10);
	if (!*end && end != text && !errno) {
		/* A knot where both are positive. */
		uint64_t by = offset < 0 ? 0 - (uint64_t)offset : (uint64_t)offset;
		struct guest_knot knot = { offset < 0 ? by : 0, offset < 0 ? 0 : by };

		return array_push(&m->clock.knots, knot) ? cdict_fail_nomem(err) : 0;
	}
	knots = strdup(text);
	if (!knots)
		return cdict_fail_nomem(err);
	for (char *c = knots; *c; c++)
		*c = *c == ',' ? ' ' : *c;
	rc = guest_clock_parse(&m->clock, knots, err);
	free(knots);
	return rc;
}

static bool line_of(struct tsc_line *l, const struct cdict_reader *r)
{
	return tsc_line_of(l, cdict_reader_info(r, "clock.time_conv"),
			   cdict_reader_info(r, "clock.tsc_start"),
			   cdict_reader_info(r, "clock.tsc_end"));
}

/* CDICT_ENOTFOUND: the recordings do not have what it needs, which *err says. */
static int tsc_clock(const struct join *j, struct match *m, const struct cdict_reader *guest,
		     struct cdict_error *err)
{
	const char *offsets = cdict_reader_info(j->host, "guests.tsc_offset"),
		   *changed = cdict_reader_info(j->host, "guests.tsc_offset_end");
	struct tsc_offset offset, other;
	struct tsc_line h, g;
	uint64_t apart, first, last;

	if (!line_of(&h, j->host) || !line_of(&g, guest) ||
	    !cdict_reader_window(guest, &first, &last))
		return cdict_fail(err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
				  "not both recordings relate their clock to the TSC");
	if (!offsets || !tsc_offset_of(&offset, &apart, offsets, m->pid))
		return cdict_fail(err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
				  "the host's recording has no TSC offset of this VM");
	/* Stored only for vCPUs whose offset changed: the guest's clock stepped. */
	if (changed && tsc_offset_of(&other, &first, changed, m->pid))
		return cdict_fail(err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
				  "the VM's TSC offset changed while the host recorded");
	return guest_clock_tsc(&m->clock, &h, &g, &offset, apart, first, last, err);
}

/* The threads of @m's vCPUs: owned by the caller; NULL when out of memory. */
static struct guest_fit_vcpu *threads_of(const struct join *j, const struct match *m, size_t *n)
{
	struct guest_fit_vcpu *vcpus = calloc(m->n_vcpus + 1, sizeof(*vcpus));

	*n = 0;
	for (uint32_t cpu = 0; vcpus && cpu < m->n_vcpus; cpu++)
		if (m->vcpus[cpu] != ANALYZE_NO_TASK)
			vcpus[(*n)++] = (struct guest_fit_vcpu){
				cpu, analyze_engine_task(j->walk.eng, m->vcpus[cpu])->tid
			};
	return vcpus;
}

/* When each vCPU may have been in guest mode: read once for all guests. */
static int read_host(struct join *j, struct cdict_error *err)
{
	ARRAY(int32_t) tids = { 0 };
	int rc = 0;

	if (j->fit)
		return 0;
	for (size_t i = 0; i < analyze_engine_task_count(j->walk.eng) && !rc; i++) {
		const struct analyze_task *task = analyze_engine_task(j->walk.eng, (uint32_t)i);

		if (task->is_vcpu && array_push(&tids, task->tid))
			rc = cdict_fail_nomem(err);
	}
	if (!rc)
		rc = fit_host_new(&j->fit, j->host, tids.at, tids.n, NULL, 0, err);
	array_fini(&tids);
	return rc;
}

static int fit_clock_of(struct join *j, struct match *m, struct cdict_reader *guest,
			struct cdict_error *err)
{
	size_t n;
	struct guest_fit_vcpu *vcpus = threads_of(j, m, &n);
	int rc = vcpus ? read_host(j, err) : cdict_fail_nomem(err);

	m->clock.knots.n = 0;
	if (!rc)
		rc = guest_clock_fit(&m->clock, j->fit, j->host, guest, vcpus, n, err);
	free(vcpus);
	return rc;
}

/* Whether @task is the first vCPU of its VM. */
static bool is_first(const struct join *j, const struct analyze_task *task)
{
	for (uint32_t i = 0; i < task->index; i++) {
		const struct analyze_task *t = analyze_engine_task(j->walk.eng, i);

		if (t->is_vcpu && t->pid == task->pid)
			return false;
	}
	return true;
}

/* Whether a recording of the VM is joined; @vm: its name, for those without a pid. */
static bool is_joined(const struct join *j, int32_t pid, const char *vm)
{
	for (size_t i = 0; i < reader_guest_count(j->host); i++) {
		const char *its = reader_guest_info(j->host, i, GUEST_PID),
			   *name = reader_guest_info(j->host, i, GUEST_VM);

		if (its ? strtol(its, NULL, 10) == pid : name && !strcmp(name, vm))
			return true;
	}
	return false;
}

/* The only VM that is not joined yet with a vCPU for each of the guest's CPUs whose entries and exits fit the guest's events. */
static int find_by_events(struct join *j, struct match *m, struct cdict_reader *guest,
			  const char *why, struct cdict_error *err)
{
	const struct analyze_task *found = NULL;

	for (size_t i = 0; i < analyze_engine_task_count(j->walk.eng); i++) {
		const struct analyze_task *task = analyze_engine_task(j->walk.eng, (uint32_t)i);
		struct match one = { 0 };
		char pid[16];
		int rc = 0;

		if (!task->is_vcpu || task->pid < 0 || !is_first(j, task) ||
		    is_joined(j, task->pid, ""))
			continue;
		snprintf(pid, sizeof(pid), "%" PRId32, task->pid);
		if (guest_vcpus(&j->walk, pid, &one.vcpus, &one.n_vcpus))
			return cdict_fail_nomem(err);
		rc = one.n_vcpus >= cdict_reader_cpus(guest) ? fit_clock_of(j, &one, guest, err)
							     : CDICT_ENOTFOUND;
		free(one.vcpus);
		guest_clock_fini(&one.clock);
		if (rc && rc != CDICT_ENOTFOUND)
			return rc;
		if (!rc && found)
			return cdict_fail(err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
					  "cannot tell which VM it was recorded in: %s, and its "
					  "events fit several VMs; give VM=FILE",
					  why);
		found = rc ? found : task;
	}
	if (!found)
		return cdict_fail(err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
				  "cannot tell which VM it was recorded in: %s, and its events fit "
				  "none; give VM=FILE",
				  why);
	snprintf(m->found, sizeof(m->found), "by its events");
	m->vm = names_vm(&j->walk.names, found);
	m->vm = m->vm ? m->vm : "";
	m->pid = found->pid;
	return 0;
}

static int find_vm(struct join *j, struct match *m, struct cdict_reader *guest,
		   const struct join_how *how, struct cdict_error *err)
{
	const char *uuid = cdict_reader_info(guest, "host.dmi_uuid"),
		   *machine = cdict_reader_info(guest, "host.machine_id");
	const struct analyze_task *by_uuid = uuid ? vcpu_of(j, NULL, uuid) : NULL, *task;
	const char *other;
	char spelled[37], name[TRACE_NAME_MAX];

	if (how->vm) {
		task = vcpu_of(j, how->vm, NULL);
		if (!task)
			return cdict_fail(err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
					  "no vCPU of a VM '%s' in the host's recording", how->vm);
		other = by_uuid ? names_vm(&j->walk.names, by_uuid) : NULL;
		snprintf(m->found, sizeof(m->found), "as given");
		if (by_uuid && other && strcmp(other, names_vm(&j->walk.names, task)))
			return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
					  "its UUID is that of '%s', not of '%s'", other, how->vm);
		if (by_uuid)
			snprintf(m->found, sizeof(m->found), "as given, and by its UUID");
	} else {
		task = by_uuid;
		snprintf(m->found, sizeof(m->found), "by its UUID");
		if (!task && machine && spread(spelled, machine)) {
			task = vcpu_of(j, NULL, spelled);
			snprintf(m->found, sizeof(m->found), "by its machine id");
		}
		if (!task && trace_pair_name(name, j->host, guest)) {
			task = vcpu_of(j, name, NULL);
			snprintf(m->found, sizeof(m->found), "in the host's trace.dat");
		}
		if (!task)
			return find_by_events(j, m, guest,
					      uuid || machine
						      ? "no VM of the host's recording has its UUID"
						      : "it has no UUID",
					      err);
	}
	m->vm = names_vm(&j->walk.names, task);
	m->pid = task->pid;
	if (!m->vm)
		m->vm = how->vm ? how->vm : "";
	return 0;
}

/* By how much @c differs from the fit at most: at an end of what both sides recorded, where it has knots. */
static uint64_t apart_from(const struct guest_clock *fit, const struct guest_clock *c)
{
	uint64_t most_ns = 0;

	for (size_t i = 0; i < fit->knots.n; i++) {
		const struct guest_knot *knot = &fit->knots.at[i];
		uint64_t by = guest_clock_host_ns(c, knot->guest_ns),
			 ns = by > knot->host_ns ? by - knot->host_ns : knot->host_ns - by;

		most_ns = ns > most_ns ? ns : most_ns;
	}
	return most_ns;
}

/* Refuses @m's clock, or states a larger error for it: the events show that it is @off_ns wrong at least,
 * or so far from a line that fits them. */
static int widen(struct match *m, uint64_t off_ns, uint64_t most_ns, const char *what,
		 struct cdict_error *err)
{
	if (off_ns > most_ns)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "%s %s are %.3f ms apart; give --clock", what,
				  m->clock.method == GUEST_CLOCK_TSC ? "the TSC" : "trace-cmd",
				  (double)off_ns / 1e6);
	m->clock.error_ns += off_ns;
	return 0;
}

/* A clock from other sources must agree with the events, where these show one: the TSC's offset may be of
 * another time, or of another VM; trace-cmd's samples are as exact as its messages were fast. @known: its
 * error is. */
static int check_clock(struct join *j, struct match *m, bool known, struct cdict_reader *guest,
		       struct cdict_error *err)
{
	struct match fit = { .vcpus = m->vcpus, .n_vcpus = m->n_vcpus };
	bool exact = m->clock.method == GUEST_CLOCK_TSC;
	uint64_t off_ns = 0, apart;
	size_t n;
	struct guest_fit_vcpu *vcpus = threads_of(j, m, &n);
	int rc = vcpus ? guest_clock_agrees(&off_ns, &m->clock, j->host, guest, vcpus, n, err)
		       : cdict_fail_nomem(err);

	free(vcpus);
	if (rc || (!off_ns && known))
		return rc == CDICT_ENOTFOUND && known ? 0 : rc;
	rc = fit_clock_of(j, &fit, guest, err);
	if (!rc) {
		apart = apart_from(&fit.clock, &m->clock);
		if (!known || apart > m->clock.error_ns + fit.clock.error_ns)
			rc = widen(m, apart + (exact ? 0 : fit.clock.error_ns),
				   exact ? 0 : OFF_MAX_NS, "its clocks by events and by", err);
	} else if (rc == CDICT_ENOTFOUND && known) {
		rc = widen(m, off_ns, OFF_MAX_NS, "its events and guest mode by", err);
	}
	guest_clock_fini(&fit.clock);
	return rc;
}

/* The best clock that both recordings permit without their events. *known: its error is. */
static int other_clock(const struct join *j, struct match *m, bool *known,
		       const struct cdict_reader *guest, struct cdict_error *err)
{
	struct cdict_error why = { 0 };
	int rc = tsc_clock(j, m, guest, err);

	*known = true;
	if (rc != CDICT_ENOTFOUND && rc != CDICT_ECORRUPT)
		return rc;
	m->clock.knots.n = 0;
	rc = trace_pair_clock(&m->clock, known, j->host, guest, &why);
	if (rc && rc != CDICT_ENOTFOUND)
		*err = why;
	return rc;
}

static int find_clock(struct join *j, struct match *m, struct cdict_reader *guest,
		      const struct join_how *how, struct cdict_error *err)
{
	char why[sizeof(err->text)];
	bool known;
	int rc;

	if (how->clock)
		return given_clock(m, how->clock, err);
	rc = other_clock(j, m, &known, guest, err);
	if (!rc)
		rc = check_clock(j, m, known, guest, err);
	if (rc != CDICT_ENOTFOUND)
		return rc;
	snprintf(why, sizeof(why), "%s", err->text);
	rc = fit_clock_of(j, m, guest, err);
	if (rc != CDICT_ENOTFOUND)
		return rc;
	snprintf(m->why, sizeof(m->why), "%s", err->text);
	return cdict_fail(err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
			  "no clock joins it with the host's recording: %s; by events: %s; "
			  "give --clock",
			  why, m->why);
}

/* ---- both ---- */

static int check_overlap(const struct join *j, const struct match *m,
			 const struct cdict_reader *guest, struct cdict_error *err)
{
	uint64_t first, last, from, to;

	if (!cdict_reader_window(guest, &first, &last))
		return cdict_fail(err, CDICT_ENOTFOUND, CDICT_NO_OFFSET, "it has no events");
	if (!cdict_reader_window(j->host, &from, &to))
		return cdict_fail(err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
				  "the host's recording has no events");
	first = guest_clock_host_ns(&m->clock, first);
	last = guest_clock_host_ns(&m->clock, last);
	if (first > to || last < from)
		return cdict_fail(err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
				  "the recordings do not overlap: it ran from %.6f to %.6f s, the "
				  "host's from %.6f to %.6f s of the host's clock",
				  (double)first / 1e9, (double)last / 1e9, (double)from / 1e9,
				  (double)to / 1e9);
	return 0;
}

static int store(const struct join *j, const struct match *m, struct cdict_reader *guest,
		 struct cdict_error *err)
{
	char pid[16], error[24];
	struct sink knots;
	char *text;
	int rc;

	snprintf(pid, sizeof(pid), "%" PRId32, m->pid);
	snprintf(error, sizeof(error), "%" PRIu64, m->clock.error_ns);
	sink_to_memory(&knots);
	guest_clock_print(&knots, &m->clock);
	text = sink_take(&knots, NULL);
	rc = reader_guest_add(j->host, guest);
	if (!rc)
		rc = text ? reader_guest_set(j->host, GUEST_VM, m->vm) : -ENOMEM;
	if (!rc && m->pid >= 0) /* trace.dat does not have it */
		rc = reader_guest_set(j->host, GUEST_PID, pid);
	if (!rc)
		rc = reader_guest_set(j->host, GUEST_FOUND, m->found);
	if (!rc)
		rc = reader_guest_set(j->host, GUEST_CLOCK_METHOD,
				      guest_clock_method_name(m->clock.method));
	if (!rc)
		rc = reader_guest_set(j->host, GUEST_CLOCK_ERROR, error);
	if (!rc)
		rc = reader_guest_set(j->host, GUEST_CLOCK, text);
	free(text);
	return rc ? cdict_fail_nomem(err) : 0;
}

/* Warns if the guest's recording exceeds the host's by more than the host's length: its clock may have
 * stepped, as at a reboot. */
static void say_outside(struct sink *out, const struct join *j, const struct match *m,
			const struct cdict_reader *guest)
{
	uint64_t first = 0, last = 0, from = 0, to = 0, before, after;

	cdict_reader_window(guest, &first, &last);
	cdict_reader_window(j->host, &from, &to);
	first = guest_clock_host_ns(&m->clock, first);
	last = guest_clock_host_ns(&m->clock, last);
	before = first < from ? from - first : 0;
	after = last > to ? last - to : 0;
	if (before <= to - from && after <= to - from)
		return;
	sink_puts(out, "; by this clock its recording begins ");
	tables_duration(out, before);
	sink_puts(out, " before the host's and ends ");
	tables_duration(out, after);
	sink_puts(out, " after it: only what it has in between is certain");
}

static void say(struct sink *out, const struct join *j, const struct match *m,
		const struct cdict_reader *guest)
{
	uint32_t cpus = cdict_reader_cpus(guest);

	sink_printf(out, "%s, found %s; %zu vCPU%s in the host's recording, %" PRIu32, m->vm,
		    m->found, m->n_seen, m->n_seen == 1 ? "" : "s", cpus);
	sink_printf(out, " CPU%s in the guest's; ", cpus == 1 ? "" : "s");
	guest_say_clock(out, &m->clock);
	say_outside(out, j, m, guest);
	guest_say_damage(out, guest);
}

static int refuse_twice(const struct join *j, const struct match *m, struct cdict_error *err)
{
	if (is_joined(j, m->pid, m->vm))
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "a recording of '%s' is already joined", m->vm);
	if (reader_guest_count(j->host) == FORMAT_MAX_GUESTS)
		return cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET, "more than %u guests",
				  FORMAT_MAX_GUESTS);
	return 0;
}

static bool is_the_hosts(const struct join *j, const struct cdict_reader *guest)
{
	const char *host_boot = cdict_reader_info(j->host, "host.boot_id"),
		   *boot = cdict_reader_info(guest, "host.boot_id");

	return host_boot && boot && !strcmp(host_boot, boot);
}

int join_add(struct join *j, struct cdict_reader *guest, const struct join_how *how,
	     struct sink *said, struct cdict_error *err)
{
	struct match m = { 0 };
	int rc = 0;

	if (reader_guest_count(guest))
		rc = cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				"it is a joined recording itself, of a host and its guests");
	if (!rc && is_the_hosts(j, guest))
		rc = cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				"it was recorded on the host itself: both have the boot id %s",
				cdict_reader_info(guest, "host.boot_id"));
	if (!rc)
		rc = find_vm(j, &m, guest, how, err);
	if (!rc)
		rc = refuse_twice(j, &m, err);
	if (!rc && guest_vcpus(&j->walk, m.vm, &m.vcpus, &m.n_vcpus))
		rc = cdict_fail_nomem(err);
	for (size_t i = 0; i < m.n_vcpus; i++)
		m.n_seen += m.vcpus[i] != ANALYZE_NO_TASK;
	if (!rc)
		rc = find_clock(j, &m, guest, how, err);
	if (!rc)
		rc = check_overlap(j, &m, guest, err);
	if (rc) {
		cdict_reader_close(guest);
	} else {
		rc = store(j, &m, guest, err);
		if (!rc)
			say(said, j, &m, guest);
	}
	free(m.vcpus);
	guest_clock_fini(&m.clock);
	return rc;
}
