// SPDX-License-Identifier: GPL-2.0-only
/*
 * mkhost FORMATS OUT N [WHAT=NUMBER...]: a cdict of N events of a large KVM host, always the same: VMs named and threaded as Nova's QEMU does it, kernel
 * threads and services, more vCPUs than CPUs. WHAT, with its default: cpus (256), vms (100), vcpus
 * (600), tasks (5000), labels (1; 0: without names), seed (1). FORMATS: tests/data/formats.
 *
 * Each CPU has its own tasks and takes turns of its own: the running task exits, goes on, sleeps or
 * is displaced; sleepers are woken. Now and then one is woken on another CPU of its node, and
 * belongs there from then on.
 */
#include "tests/tools/make/made.h"

enum { CPUS_MOST = 1024, NODES = 4, FIRST_TID = 3000 };

enum kind { IDLE, VCPU, EMULATOR, IOTHREAD, VHOST, KERNEL, SERVICE };
enum { HLT = 0x78, IO = 0x7b, MSR = 0x7c, NPF = 0x400, INTR = 0x60, PAUSE = 0x77, CPUID = 0x72 };

struct task {
	int32_t tid, pid;
	enum kind kind;
	unsigned vm, vcpu, load; /* load: percent of its time that it would run */
	uint32_t reason;         /* of the exit that is being handled */
	char comm[16];
};

struct list {
	uint32_t *at;
	size_t n, room;
};

struct cpu {
	uint64_t t_ns;
	uint32_t current; /* task */
	unsigned node;
	bool in_guest;
	uint64_t since_ns; /* when it got the CPU */
	struct list waiting, asleep;
};

struct host {
	struct cdict_writer *w;
	struct cdict_schema *schema;
	const struct cdict_event_type *sw, *waking, *entry, *exit;
	struct task *tasks;
	size_t n_tasks, room;
	struct cpu *cpus;
	unsigned n_cpus, n_vms, n_vcpus, wanted, labels, order[CPUS_MOST];
	uint64_t random;
	unsigned long events;
};

static uint64_t draw(struct host *h, uint64_t below)
{
	h->random = h->random * 6364136223846793005u + 1442695040888963407u;
	return (h->random >> 33) % below;
}

static bool chance(struct host *h, unsigned percent)
{
	return draw(h, 100) < percent;
}

static void push(struct list *l, uint32_t task)
{
	if (l->n == l->room) {
		l->room = l->room ? 2 * l->room : 16;
		l->at = realloc(l->at, l->room * sizeof(*l->at));
		if (!l->at)
			exit(1);
	}
	l->at[l->n++] = task;
}

static uint32_t take(struct list *l, size_t i)
{
	uint32_t task = l->at[i];

	memmove(l->at + i, l->at + i + 1, (--l->n - i) * sizeof(*l->at));
	return task;
}

/* ---- tasks ---- */

static struct task *add_task(struct host *h, enum kind kind, int32_t pid, const char *comm)
{
	int32_t tid = FIRST_TID + (int32_t)h->n_tasks;
	struct cdict_task_event fork = { .what = CDICT_TASK_FORK, .ppid = 1, .ptid = 1 }, name;
	struct cdict_error err;
	struct task *t;

	if (h->n_tasks == h->room) {
		h->room = h->room ? 2 * h->room : 4096;
		h->tasks = realloc(h->tasks, h->room * sizeof(*h->tasks));
		if (!h->tasks)
			exit(1);
	}
	t = &h->tasks[h->n_tasks++];
	*t = (struct task){ .tid = kind == IDLE ? 0 : tid, .kind = kind };
	t->pid = kind == IDLE ? 0 : pid ? pid : tid;
	snprintf(t->comm, sizeof(t->comm), "%s", comm);
	if (kind == IDLE)
		return t;
	fork.pid = t->pid;
	fork.tid = t->tid;
	name = fork;
	name.what = CDICT_TASK_COMM;
	name.comm = t->comm;
	made_check(cdict_writer_task(h->w, &fork, &err), &err);
	made_check(cdict_writer_task(h->w, &name, &err), &err);
	return t;
}

static void put_on(struct host *h, const struct task *t, unsigned cpu)
{
	push(&h->cpus[cpu].asleep, (uint32_t)(t - h->tasks));
}

static void label(struct host *h, const struct task *t, unsigned vm, const char *role)
{
	static const char *const names[] = { "Firewall", "Router", "Database", "Web",   "Cache",
					     "Queue",    "Batch",  "Gateway",  "Proxy", "Monitor" };
	char group[16], uuid[48], instance[32];
	struct cdict_error err;
	struct cdict_label l = { .tid = t->tid,
				 .pid = t->pid,
				 .origin = CDICT_LABEL_OPENSTACK,
				 .name = names[vm % 10],
				 .group = group,
				 .group_type = "FULL",
				 .role = role,
				 .uuid = uuid,
				 .instance = instance,
				 .project = "cloud",
				 .host = "compute-01" };

	if (!h->labels)
		return;
	snprintf(group, sizeof(group), "%u", vm / 10 + 1);
	snprintf(uuid, sizeof(uuid), "%08x-0000-4000-8000-%012x", vm + 1, vm * 7919 + 1);
	snprintf(instance, sizeof(instance), "instance-%08x", vm + 1);
	made_check(cdict_writer_label(h->w, &l, &err), &err);
}

/* A CPU of the VM's node. */
static unsigned cpu_of(const struct host *h, unsigned vm, unsigned k)
{
	unsigned each = h->n_cpus / NODES ? h->n_cpus / NODES : 1;

	return (vm % NODES * each + (vm / NODES * 7 + k) % each) % h->n_cpus;
}

static void add_vm(struct host *h, unsigned vm, unsigned vcpus)
{
	struct task *t = add_task(h, EMULATOR, 0, "qemu-system-x86");
	int32_t pid = t->pid;
	char text[32], role[16];
	/* some never rest, most have little to do */
	unsigned load = vm % 9 == 0 ? 100 : 5 + (unsigned)draw(h, 50);

	put_on(h, t, cpu_of(h, vm, 0));
	label(h, t, vm, "emulator");
	for (unsigned k = 0; k < vcpus; k++) {
		snprintf(text, sizeof(text), "CPU %u/KVM", k);
		snprintf(role, sizeof(role), "vcpu%u", k);
		t = add_task(h, VCPU, pid, text);
		t->vcpu = k;
		t->load = load;
		put_on(h, t, cpu_of(h, vm, k));
		label(h, t, vm, role);
	}
	t = add_task(h, IOTHREAD, pid, "IO iothread1");
	put_on(h, t, cpu_of(h, vm, 1));
	label(h, t, vm, "iothread1");
	snprintf(text, sizeof(text), "vhost-%d", pid);
	t = add_task(h, VHOST, 0, text);
	put_on(h, t, cpu_of(h, vm, 2));
	label(h, t, vm, "vhost");
}

/* Kernel threads of each CPU; then services of many threads, until there are enough. */
static void add_rest(struct host *h)
{
	static const char *const kernel[] = { "kworker/%u:1", "ksoftirqd/%u", "migration/%u",
					      "rcuc/%u" };
	static const char *const services[] = { "tp_osd_tp",   "msgr-worker-%u", "nova-compute",
						"neutron-ovs", "pmd-c%u/id:2",   "libvirtd",
						"python3",     "worker-%u" };
	char text[32];
	int32_t pid = 0;

	for (unsigned cpu = 0; cpu < h->n_cpus; cpu++) {
		for (size_t k = 0; k < 4 && h->n_tasks < h->wanted; k++) {
			snprintf(text, sizeof(text), kernel[k], cpu);
			put_on(h, add_task(h, KERNEL, 0, text), cpu);
		}
	}
	for (unsigned i = 0; h->n_tasks < h->wanted; i++) {
		struct task *t;

		snprintf(text, sizeof(text), services[i / 40 % 8], i % 40);
		t = add_task(h, SERVICE, i % 40 ? pid : 0, text);
		pid = t->pid;
		put_on(h, t, i * 37 % h->n_cpus);
	}
}

/* ---- activity ---- */

static void emit(struct host *h, struct cpu *c, const struct cdict_event_type *type,
		 const unsigned char *payload)
{
	const struct task *t = &h->tasks[c->current];
	struct cdict_sample s = { .t_ns = c->t_ns,
				  .cpu = (uint32_t)(c - h->cpus),
				  .pid = t->pid,
				  .tid = t->tid,
				  .mode = CDICT_MODE_KERNEL };

	made_event(h->w, &s, type, payload);
	h->events++;
}

static void switch_to(struct host *h, struct cpu *c, uint32_t next, unsigned state)
{
	const struct task *prev = &h->tasks[c->current], *t = &h->tasks[next];
	unsigned char payload[128] = { 0 };

	made_text(h->sw, payload, "prev_comm", prev->comm);
	made_set(h->sw, payload, "prev_pid", (uint32_t)prev->tid);
	made_set(h->sw, payload, "prev_prio", 120);
	made_set(h->sw, payload, "prev_state", state);
	made_text(h->sw, payload, "next_comm", t->comm);
	made_set(h->sw, payload, "next_pid", (uint32_t)t->tid);
	made_set(h->sw, payload, "next_prio", 120);
	emit(h, c, h->sw, payload);
	c->current = next;
	c->since_ns = c->t_ns;
}

/* The task that waits longest, else IDLE. */
static void leave(struct host *h, struct cpu *c, unsigned state)
{
	uint32_t prev = c->current, idle = (uint32_t)(c - h->cpus);

	switch_to(h, c, c->waiting.n ? take(&c->waiting, 0) : idle, state);
	if (prev != idle)
		push(state ? &c->asleep : &c->waiting, prev);
}

static void enter(struct host *h, struct cpu *c)
{
	unsigned char payload[128] = { 0 };
	const struct task *t = &h->tasks[c->current];

	made_set(h->entry, payload, "vcpu_id", t->vcpu);
	made_set(h->entry, payload, "rip", 0xffffffff81000000 + draw(h, 64) * 4096);
	emit(h, c, h->entry, payload);
	c->in_guest = true;
}

static void leave_guest(struct host *h, struct cpu *c)
{
	static const uint32_t reasons[] = { NPF, IO, MSR, MSR, INTR, INTR, CPUID, PAUSE };
	unsigned char payload[128] = { 0 };
	struct task *t = &h->tasks[c->current];

	t->reason = chance(h, (100 - t->load) / 3) ? HLT : reasons[draw(h, 8)];
	made_set(h->exit, payload, "exit_reason", t->reason);
	made_set(h->exit, payload, "guest_rip", 0xffffffff81000000 + draw(h, 64) * 4096);
	made_set(h->exit, payload, "isa", 2);
	made_set(h->exit, payload, "vcpu_id", t->vcpu);
	emit(h, c, h->exit, payload);
	c->in_guest = false;
}

/* A sleeper of this CPU is woken, by what runs here. */
static void wake(struct host *h, struct cpu *c)
{
	size_t i = draw(h, c->asleep.n);
	struct task *t = &h->tasks[c->asleep.at[i]];
	unsigned char payload[128] = { 0 };
	unsigned each = h->n_cpus / NODES, cpu = (unsigned)(c - h->cpus), to = cpu;

	/* vCPUs are woken more often than the crowd */
	for (int tries = 0; tries < 3 && t->kind != VCPU; tries++) {
		i = draw(h, c->asleep.n);
		t = &h->tasks[c->asleep.at[i]];
	}
	if (each && t->kind != KERNEL && chance(h, 4))
		to = (c->node * each + (unsigned)draw(h, each)) % h->n_cpus;
	made_text(h->waking, payload, "comm", t->comm);
	made_set(h->waking, payload, "pid", (uint32_t)t->tid);
	made_set(h->waking, payload, "prio", 120);
	made_set(h->waking, payload, "target_cpu", to);
	emit(h, c, h->waking, payload);
	take(&c->asleep, i);
	push(&h->cpus[to].waiting, (uint32_t)(t - h->tasks));
}

/* One turn of the CPU whose time is the earliest. */
static void turn(struct host *h, struct cpu *c)
{
	const struct task *t = &h->tasks[c->current];
	bool expired = c->t_ns - c->since_ns > 3000000;

	if (c->asleep.n && chance(h, t->kind == IDLE ? 60 : 14)) {
		wake(h, c);
		c->t_ns += 500 + draw(h, 2000);
	} else if (t->kind == IDLE) {
		if (c->waiting.n)
			leave(h, c, 0);
		c->t_ns += (c->current ? 1000 : 20000) + draw(h, 200000);
	} else if (t->kind == VCPU && c->in_guest) {
		leave_guest(h, c);
		c->t_ns += t->reason == IO ? 8000 + draw(h, 60000) : 900 + draw(h, 4000);
	} else if (t->kind == VCPU && t->reason != HLT && !(expired && c->waiting.n)) {
		enter(h, c);
		c->t_ns += 10000 + draw(h, 40000) * (1 + draw(h, 8));
	} else {
		bool sleeps = t->kind != VCPU ? !chance(h, 10) : t->reason == HLT;

		h->tasks[c->current].reason = 0;
		if (sleeps || c->waiting.n)
			leave(h, c, sleeps);
		c->t_ns += h->tasks[c->current].kind == VCPU ? 1500 + draw(h, 1000)
							     : 5000 + draw(h, 120000);
	}
}

/* ---- the capture ---- */

static void option(struct host *h, const char *arg)
{
	const struct {
		const char *name;
		unsigned *value;
	} all[] = { { "cpus", &h->n_cpus },
		    { "vms", &h->n_vms },
		    { "vcpus", &h->n_vcpus },
		    { "tasks", &h->wanted },
		    { "labels", &h->labels } };
	size_t name = strcspn(arg, "=");

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strlen(all[i].name) == name && !strncmp(arg, all[i].name, name))
			*all[i].value = arg[name] ? (unsigned)atoi(arg + name + 1) : 0;
	if (!strncmp(arg, "seed=", 5))
		h->random = strtoul(arg + 5, NULL, 0);
}

static const struct cdict_event_type *type(struct host *h, const char *folder, const char *system,
					   const char *event)
{
	char name[64];

	made_type(h->schema, folder, system, event);
	snprintf(name, sizeof(name), "%s:%s", system, event);
	return cdict_schema_find(h->schema, name);
}

/* Two threads a core, a node a quarter. */
static void report_topology(struct host *h)
{
	struct cdict_error err;
	char *numa = malloc(64 * NODES), *threads = malloc(16 * CPUS_MOST);
	unsigned each = h->n_cpus / NODES;
	size_t at = 0;

	if (!numa || !threads)
		exit(1);
	for (unsigned i = 0; i < NODES; i++)
		at += (size_t)snprintf(numa + at, 64, "%s%u:%u-%u", i ? ";" : "", i, i * each,
				       (i + 1) * each - 1);
	at = 0;
	for (unsigned cpu = 0; cpu < h->n_cpus; cpu += 2)
		at += (size_t)snprintf(threads + at, 32, "%s%u-%u", cpu ? " " : "", cpu, cpu + 1);
	made_check(cdict_writer_info(h->w, "host.name", "compute-01", &err), &err);
	made_check(cdict_writer_info(h->w, "topology.numa", numa, &err), &err);
	made_check(cdict_writer_info(h->w, "topology.threads", threads, &err), &err);
	free(numa);
	free(threads);
}

/* The first of @h->order, a heap by time, took its turn. */
static void reorder(struct host *h)
{
	unsigned at = 0, next, *o = h->order;

	while ((next = 2 * at + 1) < h->n_cpus) {
		if (next + 1 < h->n_cpus && h->cpus[o[next + 1]].t_ns < h->cpus[o[next]].t_ns)
			next++;
		if (h->cpus[o[at]].t_ns <= h->cpus[o[next]].t_ns)
			return;
		unsigned first = o[at];

		o[at] = o[next];
		o[next] = first;
		at = next;
	}
}

int main(int argc, char **argv)
{
	struct host h = {
		.n_cpus = 256, .n_vms = 100, .n_vcpus = 600, .wanted = 5000, .labels = 1, .random = 1
	};
	unsigned long n = argc > 3 ? strtoul(argv[3], NULL, 0) : 0;
	struct cdict_error err;
	FILE *out;

	for (int i = 4; i < argc; i++)
		option(&h, argv[i]);
	if (!n || h.n_cpus < NODES || h.n_cpus > CPUS_MOST || h.n_cpus % NODES || !h.n_vms ||
	    h.n_vcpus < h.n_vms) {
		fprintf(stderr, "usage: mkhost FORMATS OUT N [WHAT=NUMBER...]\n");
		return 129;
	}
	h.wanted += h.n_cpus; /* an IDLE each */
	h.cpus = calloc(h.n_cpus, sizeof(*h.cpus));
	h.schema = cdict_schema_new(false, 8, 4096);
	out = fopen(argv[2], "wb");
	if (!h.cpus || !h.schema || !out) {
		perror(argv[2]);
		return 1;
	}
	h.sw = type(&h, argv[1], "sched", "sched_switch");
	h.waking = type(&h, argv[1], "sched", "sched_waking");
	h.entry = type(&h, argv[1], "kvm", "kvm_entry");
	h.exit = type(&h, argv[1], "kvm", "kvm_exit");
	made_check(cdict_writer_open(&h.w, made_put, out, &err), &err);
	report_topology(&h);
	made_check(cdict_writer_schema(h.w, h.schema, &err), &err);
	for (unsigned i = 0; i < h.n_cpus; i++) {
		add_task(&h, IDLE, 0, "swapper");
		h.order[i] = i;
		h.cpus[i] = (struct cpu){ .t_ns = 1000000000000 + i * 400, /* a heap */
					  .current = i,
					  .node = i / (h.n_cpus / NODES) };
	}
	for (unsigned vm = 0; vm < h.n_vms; vm++)
		add_vm(&h, vm, h.n_vcpus / h.n_vms + (vm < h.n_vcpus % h.n_vms));
	add_rest(&h);
	while (h.events < n) {
		turn(&h, &h.cpus[h.order[0]]);
		reorder(&h);
	}
	made_check(cdict_writer_finish(h.w, &err), &err);
	if (fclose(out)) {
		perror(argv[2]);
		return 1;
	}
	cdict_writer_close(h.w);
	cdict_schema_free(h.schema);
	for (unsigned i = 0; i < h.n_cpus; i++) {
		free(h.cpus[i].waiting.at);
		free(h.cpus[i].asleep.at);
	}
	free(h.cpus);
	free(h.tasks);
	return 0;
}
