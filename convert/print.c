/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Formats events with libtraceevent, when analyze/printing/print.h cannot. Formats and events are
 * untrusted, and libtraceevent 1.7 crashes on some: it divides by values of an event, and uses them
 * to count array elements. So it runs in a child process, event by event; an event type that ends
 * the child is not tried again.
 */
#include "convert/print.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include "base/cursor.h"
#include "base/text/kernel_functions.h"
#include "convert/formats.h"

/* After a payload, for strings that are not terminated inside it. */
#define SLACK 16
/* Limit of a text: a width in a print format may be 2^31. */
#define TEXT_MAX (1u << 20)
#define CHILD_BYTES (UINT64_C(256) << 20)
/* CPU time for one event: with some widths libtraceevent runs endlessly. */
#define CHILD_US 200000
/* Limit of types that ended a child: after them libtraceevent is not used, as each costs a fork and
 * up to that time. */
#define LOST_MAX 16

struct print {
	const struct cdict_schema *schema;
	const char *strings, *symbols;
	bool *refused; /* by type: it ended a child */
	unsigned lost; /* number of refused types */
	pid_t child;   /* 0: none */
	int fd;        /* socket to the child */
	struct buf request, text;
};

/* Header of a request, a payload, and of a reply, a text. */
struct frame {
	uint32_t size; /* of the bytes that follow */
	uint32_t what; /* request: the event's type; reply: whether it was printed */
};

static bool send_all(int fd, const void *data, size_t size)
{
	const uint8_t *at = data;

	while (size) {
		ssize_t n = send(fd, at, size, MSG_NOSIGNAL);

		if (n < 0 && errno != EINTR)
			return false;
		if (n > 0) {
			at += n;
			size -= (size_t)n;
		}
	}
	return true;
}

/* Reads a frame and its bytes from @fd into @b; requests and replies alternate. False at the end of
 * input, or when out of memory. */
static bool receive(int fd, struct buf *b, struct frame *f)
{
	*f = (struct frame){ 0 };
	b->len = 0;
	while (b->len < sizeof(*f) + f->size) {
		size_t want = sizeof(*f) + f->size - b->len + 4096;
		uint8_t *room = buf_room(b, want);
		ssize_t n = room ? read(fd, room, want) : 0;

		if (!n || (n < 0 && errno != EINTR))
			return false;
		b->len += n > 0 ? (size_t)n : 0;
		if (b->len >= sizeof(*f))
			memcpy(f, b->data, sizeof(*f));
	}
	return true;
}

/* ---- the child ---- */

/* The field that an argument __print_array(field, count, element size) prints; NULL: another kind
 * of argument. */
static struct tep_format_field *array_of(struct tep_event *event, const struct tep_print_arg *arg,
					 unsigned long *each)
{
	const struct tep_print_arg *field, *size;

	if (arg->type != TEP_PRINT_INT_ARRAY)
		return NULL;
	field = arg->int_array.field;
	size = arg->int_array.el_size;
	*each = size->type == TEP_PRINT_ATOM ? strtoul(size->atom.atom, NULL, 0) : 0;
	if (field->type == TEP_PRINT_DYNAMIC_ARRAY)
		return field->dynarray.field;
	return field->type == TEP_PRINT_FIELD ? tep_find_any_field(event, field->field.name) : NULL;
}

static void swap_array(uint8_t *payload, size_t size, const struct tep_format_field *f,
		       unsigned long each, bool big)
{
	size_t at = (size_t)f->offset, n = (size_t)f->size;

	if (f->flags & TEP_FIELD_IS_DYNAMIC) {
		uint32_t where = at + 4 <= size ? load32(payload + at, big) : 0;

		at = (where & 0xffff) + (f->flags & TEP_FIELD_IS_RELATIVE ? at + n : 0);
		n = where >> 16;
	}
	if (at > size || n > size - at)
		return;
	for (uint8_t *e = payload + at; n >= each; n -= each, e += each)
		for (unsigned long i = 0; i < each / 2; i++) {
			uint8_t byte = e[i];

			e[i] = e[each - 1 - i];
			e[each - 1 - i] = byte;
		}
}

/* libtraceevent reads numbers in the byte order that was set, but those of arrays in native order (1.7, 1.8). */
static void swap_arrays(struct tep_event *event, uint8_t *payload, size_t size)
{
	bool big = tep_is_file_bigendian(event->tep);
	unsigned long each, other;

	if (big == (bool)tep_is_local_bigendian(event->tep))
		return;
	for (struct tep_print_arg *arg = event->print_fmt.args; arg; arg = arg->next) {
		struct tep_format_field *f = array_of(event, arg, &each);
		struct tep_print_arg *first = event->print_fmt.args;

		while (f && first != arg && array_of(event, first, &other) != f)
			first = first->next;
		if (f && first == arg && (each == 2 || each == 4 || each == 8))
			swap_array(payload, size, f, each, big);
	}
}

static struct tep_event *event_of(struct tep_handle *tep, const struct cdict_event_type *type,
				  bool *known)
{
	if (!*known)
		formats_tep_add(tep, type);
	*known = true;
	return tep_find_event_by_name(tep, type->system, type->event);
}

/* Ends this process unless called again within CHILD_US. */
static void in_time(void)
{
	struct itimerval most = { .it_value = { .tv_usec = CHILD_US } };

	setitimer(ITIMER_PROF, &most, NULL);
}

/* Limits memory, disables core files, and discards libtraceevent's messages. */
static void settle(void)
{
	int null = open("/dev/null", O_WRONLY), fd = open("/proc/self/statm", O_RDONLY);
	struct rlimit limit = { 0 };
	char text[32] = "";

	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	/* a crash is expected here and must not be reported */
	setrlimit(RLIMIT_CORE, &limit);
	signal(SIGSEGV, SIG_DFL);
	signal(SIGBUS, SIG_DFL);
	signal(SIGFPE, SIG_DFL);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		return;
	limit.rlim_cur = strtoull(text, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE) + CHILD_BYTES;
	limit.rlim_max = limit.rlim_cur;
	setrlimit(RLIMIT_AS, &limit);
}

/* The string at @address of the kernel, from printk_formats, up to its closing quote; NULL: not there. */
static const char *string_at(const char *strings, uint64_t address)
{
	for (const char *line = strings; line && *line;) {
		const char *quote = line + strcspn(line, "\"\n");

		if (strtoull(line, NULL, 16) == address)
			return *quote == '"' ? quote + 1 : NULL;
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	return NULL;
}

/* Prints a bprint whose arguments were not stored by an older writer of the cdict: its text without
 * them; libtraceevent would print arbitrary values. False: it is not such an event. */
static bool print_without_arguments(const struct print *p, const struct tep_event *event,
				    const uint8_t *data, size_t size, struct trace_seq *seq)
{
	bool big = tep_is_file_bigendian(event->tep);
	struct tep_format_field *ip, *fmt;
	const char *text, *end, *name;
	unsigned long long address;

	if (!(event->flags & TEP_EVENT_FL_ISBPRINT))
		return false;
	ip = tep_find_field((struct tep_event *)event, "ip");
	fmt = tep_find_field((struct tep_event *)event, "fmt");
	if (!ip || !fmt || (fmt->size != 4 && fmt->size != 8) || ip->size != fmt->size ||
	    (size_t)(fmt->offset + fmt->size) != size || (size_t)(ip->offset + ip->size) > size)
		return false;
	address = fmt->size == 8 ? load64(data + fmt->offset, big)
				 : load32(data + fmt->offset, big);
	text = string_at(p->strings, address);
	end = text ? text + strcspn(text, "\n") : NULL;
	while (end && end > text && end[-1] != '"')
		end--;
	if (!end || end == text || !memchr(text, '%', (size_t)(end - text)))
		return false;
	end -= (size_t)(end - text) > 2 && !memcmp(end - 3, "\\n", 2) ? 3 : 1;
	address = ip->size == 8 ? load64(data + ip->offset, big) : load32(data + ip->offset, big);
	name = tep_find_function(event->tep, address);
	trace_seq_reset(seq);
	if (name)
		trace_seq_puts(seq, name);
	else
		trace_seq_printf(seq, "0x%llx", address);
	trace_seq_printf(seq, ": %.*s (arguments not stored)", (int)(end - text), text);
	return seq->state == TRACE_SEQ__GOOD;
}

/* Prints the entries of a kernel_stack as its format does: the format has eight, the event may have
 * any number. */
static bool print_stack(const struct tep_event *event, const uint8_t *data, size_t size,
			struct trace_seq *seq)
{
	bool big = tep_is_file_bigendian(event->tep);
	size_t each = (size_t)tep_get_long_size(event->tep);
	struct tep_format_field *f = strcmp(event->system, "ftrace")
					     ? NULL
					     : tep_find_field((struct tep_event *)event, "caller");
	uint64_t end = each == 8 ? UINT64_MAX : UINT32_MAX;

	if (!f || !(f->flags & TEP_FIELD_IS_ARRAY) || !strstr(event->print_fmt.format, "=> %ps"))
		return false;
	trace_seq_reset(seq);
	for (size_t at = (size_t)f->offset; at + each <= size; at += each) {
		uint64_t address = each == 8 ? load64(data + at, big) : load32(data + at, big);
		const char *name;

		/* a 0 entry is padding by the recorder */
		if (address == end || !address)
			break;
		name = tep_find_function(event->tep, address);
		trace_seq_puts(seq, "\t=> ");
		if (name)
			trace_seq_puts(seq, name);
		else
			trace_seq_printf(seq, "0x%llx", (unsigned long long)address);
		trace_seq_putc(seq, '\n');
	}
	return seq->state == TRACE_SEQ__GOOD;
}

/* Prints the event of @type with the payload @data; false: it cannot be printed. */
static bool print_event(struct tep_event *event, uint8_t *data, size_t size, struct trace_seq *seq)
{
	struct tep_record record = { .data = data, .size = (int)size };

	swap_arrays(event, data, size);
	trace_seq_reset(seq);
	tep_print_event(event->tep, seq, &record, "%s", TEP_PRINT_INFO);
	if (seq->state == TRACE_SEQ__GOOD)
		return seq->len <= TEXT_MAX;
	trace_seq_destroy(seq);
	trace_seq_init(seq);
	return false;
}

/* Answers requests until the parent closes the socket. */
static void serve(const struct print *p, int fd)
{
	struct kernel_functions symbols = { 0 };
	bool named = !p->symbols || !kernel_functions_read(&symbols, p->symbols);
	struct tep_handle *tep = formats_tep(p->schema, p->strings, p->symbols ? &symbols : NULL);
	bool *known = calloc(cdict_schema_count(p->schema) + 1, sizeof(*known));
	struct buf in = { 0 }, out = { 0 };
	struct trace_seq seq;
	struct frame f;

	trace_seq_init(&seq);
	while (tep && known && named && receive(fd, &in, &f)) {
		struct tep_event *event;
		size_t size = f.size - SLACK;

		in_time();
		event = event_of(tep, cdict_schema_at(p->schema, f.what), &known[f.what]);
		f.what = event &&
			 (print_without_arguments(p, event, in.data + sizeof(f), size, &seq) ||
			  print_stack(event, in.data + sizeof(f), size, &seq) ||
			  print_event(event, in.data + sizeof(f), size, &seq));
		f.size = f.what ? seq.len : 0;
		out.len = 0;
		buf_add(&out, &f, sizeof(f));
		buf_add(&out, seq.buffer, f.size);
		if (out.failed || !send_all(fd, out.data, out.len))
			return;
	}
}

/* ---- the parent ---- */

static void child_end(struct print *p)
{
	if (!p->child)
		return;
	close(p->fd); /* this ends the child */
	while (waitpid(p->child, NULL, 0) < 0 && errno == EINTR)
		;
	p->child = 0;
}

static bool child_begin(struct print *p)
{
	int fds[2];

	if (p->child)
		return true;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		return false;
	p->child = fork();
	if (!p->child) {
		close(fds[0]);
		settle();
		serve(p, fds[1]);
		_exit(0);
	}
	close(fds[1]);
	if (p->child < 0) {
		close(fds[0]);
		p->child = 0;
	}
	p->fd = fds[0];
	return p->child != 0;
}

void print_begin(struct print *p)
{
	child_begin(p);
}

struct print *print_new(const struct cdict_schema *schema, const char *strings)
{
	struct print *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->schema = schema;
	p->strings = strings;
	p->refused = calloc(cdict_schema_count(schema) + 1, sizeof(*p->refused));
	if (!p->refused) {
		print_free(p);
		return NULL;
	}
	return p;
}

void print_symbols(struct print *p, const char *symbols)
{
	p->symbols = symbols;
}

void print_free(struct print *p)
{
	if (!p)
		return;
	child_end(p);
	buf_fini(&p->request);
	buf_fini(&p->text);
	free(p->refused);
	free(p);
}

/* Puts the request to print @ev into p->request. */
static bool put_request(struct print *p, const struct cdict_event *ev)
{
	uint8_t *at, none;
	size_t size = cdict_event_payload(p->schema, ev, &none, 0);
	struct frame f = { .size = (uint32_t)(size + SLACK), .what = (uint32_t)ev->type->index };

	p->request.len = 0;
	at = buf_room(&p->request, sizeof(f) + size + SLACK);
	if (!at)
		return false;
	memcpy(at, &f, sizeof(f));
	cdict_event_payload(p->schema, ev, at + sizeof(f), size);
	memset(at + sizeof(f) + size, 0, SLACK);
	p->request.len = sizeof(f) + f.size;
	return true;
}

bool print_text(struct print *p, const struct cdict_event *ev, struct buf *out)
{
	struct frame f;

	if (p->refused[ev->type->index] || p->lost == LOST_MAX || !ev->type->payload_size)
		return false;
	if (!child_begin(p) || !put_request(p, ev)) {
		out->failed = true;
		return false;
	}
	if (!send_all(p->fd, p->request.data, p->request.len) || !receive(p->fd, &p->text, &f)) {
		out->failed |= p->text.failed;
		p->refused[ev->type->index] = true;
		p->lost++;
		child_end(p);
		return false;
	}
	/* remove a marker's own newline, as trace-cmd report does */
	if (f.size && p->text.data[sizeof(f) + f.size - 1] == '\n' &&
	    !strcmp(ev->type->system, "ftrace"))
		f.size--;
	buf_add(out, p->text.data + sizeof(f), f.size);
	return f.what;
}
