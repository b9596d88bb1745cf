/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * replay - a web service on loopback that answers from files.
 *
 *	replay [--stdio PORT] STATE FILE...
 *
 * Writes its port to STATE/port and every request it gets to STATE/log; serves until it is
 * killed. --stdio: one connection after the other on standard input and output, for
 * a program that speaks TLS on PORT. A FILE is a recording ("### ..." as its first line, see
 * replay.h) or a script of rules, of which the first that fits answers:
 *
 *	> GET /v2.1/servers/detail all_tenants=1 host=compute-1
 *	? X-Auth-Token: tok-1		only requests that hold this text
 *	@ times 1			only so often
 *	@ delay 500			ms before the answer
 *	@ close				no answer, the connection just ends
 *	@ fill 100000			that many blanks after the body
 *	< HTTP/1.1 200 OK
 *	< Content-Type: application/json
 *	{"servers": []}
 *
 * Parameters that a rule does not name do not matter. {PORT} in an answer is the port.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/tools/check/replay.h"

static int *used; /* per rule, shared between the processes */
static const char *log_path;
static int port;

static void die(const char *what)
{
	fprintf(stderr, "replay: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* --- scripts --- */

static char *rest(char *line, const char *word)
{
	size_t n = strlen(word);

	return !strncmp(line, word, n) ? line + n : NULL;
}

static void parse_script(FILE *file)
{
	struct replay_rule *r = NULL;
	char *line = NULL, *value;
	size_t cap = 0;

	while (getline(&line, &cap, file) > 0) {
		char *bare = strndup(line, strcspn(line, "\n"));

		if ((value = rest(bare, "> "))) {
			r = new_rule();
			r->method = strdup(strtok(value, " "));
			r->path = strdup(strtok(NULL, " "));
			while ((value = strtok(NULL, " ")))
				r->params[r->n_params++] = strdup(value);
		} else if (!r || (bare[0] == '#' && !r->head)) {
			;
		} else if ((value = rest(bare, "? "))) {
			r->needs[r->n_needs++] = strdup(value);
		} else if ((value = rest(bare, "@ times "))) {
			r->times = atoi(value);
		} else if ((value = rest(bare, "@ delay "))) {
			r->delay_ms = atoi(value);
		} else if ((value = rest(bare, "@ fill "))) {
			r->fill = strtoul(value, NULL, 10);
		} else if (!strcmp(bare, "@ close")) {
			r->close = true;
		} else if ((value = rest(bare, "< "))) {
			append(&r->head, value);
			append(&r->head, "\r\n");
		} else if (r->head && bare[0]) {
			append(&r->body, line);
		}
		free(bare);
	}
	free(line);
}

/* --- requests --- */

static void log_request(const struct replay_request *q)
{
	FILE *f = fopen(log_path, "ae");

	if (!f)
		die(log_path);
	fprintf(f, "%s%s\n--\n", q->head, q->body);
	fclose(f);
}

/* Reads one request; false: the connection ended. */
static bool read_request(int fd, struct replay_request *q)
{
	static char text[1 << 20];
	size_t have = 0, want = 0;
	char *end = NULL, *p;

	for (;;) {
		ssize_t n = read(fd, text + have, sizeof(text) - 1 - have);

		if (n <= 0)
			return false;
		have += (size_t)n;
		text[have] = '\0';
		end = strstr(text, "\r\n\r\n");
		if (!end)
			continue;
		p = strcasestr(text, "\r\nContent-Length:");
		want = p && p < end ? strtoul(p + 17, NULL, 10) : 0;
		if (have >= (size_t)(end + 4 - text) + want)
			break;
	}
	q->body = end + 4;
	q->body[want] = '\0';
	q->head = strndup(text, (size_t)(end + 4 - text));
	q->target = strdup(q->head);
	q->method = strtok(q->target, " ");
	q->path = strtok(NULL, " ");
	q->query = strchr(q->path, '?');
	if (q->query)
		*q->query++ = '\0';
	return true;
}

static bool fits(const struct replay_rule *r, const struct replay_request *q, bool same_token)
{
	if (strcmp(r->method, q->method) || strcmp(r->path, q->path))
		return false;
	for (size_t i = 0; i < r->n_params; i++) {
		if (!has_param(q->query, r->params[i], strlen(r->params[i])))
			return false;
	}
	for (size_t i = 0; i < r->n_needs; i++) {
		if (!strstr(q->head, r->needs[i]) && !strstr(q->body, r->needs[i]))
			return false;
	}
	return !r->recorded || recorded_fits(r, q, same_token);
}

static void write_all(int fd, const char *data, size_t n)
{
	while (n) {
		ssize_t w = write(fd, data, n);

		if (w <= 0)
			_exit(0); /* the client left */
		data += w;
		n -= (size_t)w;
	}
}

/* {PORT} -> the port. */
static char *put_port(const char *text)
{
	char *out = NULL, number[16];

	snprintf(number, sizeof(number), "%d", port);
	for (const char *at; (at = strstr(text, "{PORT}")); text = at + 6) {
		char *piece = strndup(text, (size_t)(at - text));

		append(&out, piece);
		append(&out, number);
		free(piece);
	}
	append(&out, text);
	return out;
}

static void answer(int fd, const struct replay_rule *r)
{
	char *head = put_port(r->head ? r->head : ""), *body = put_port(r->body ? r->body : "");
	char blanks[4096], *text;
	int n;

	memset(blanks, ' ', sizeof(blanks));
	n = asprintf(&text, "%sContent-Length: %zu\r\n\r\n%s", head, strlen(body) + r->fill, body);
	if (n < 0)
		die("memory");
	write_all(fd, text, (size_t)n);
	free(text);
	for (size_t left = r->fill; left;) {
		size_t piece = left < sizeof(blanks) ? left : sizeof(blanks);

		write_all(fd, blanks, piece);
		left -= piece;
	}
	free(head);
	free(body);
}

static const struct replay_rule *choose(const struct replay_request *q)
{
	/* the very token first, then another one of the same user */
	for (size_t k = 0; k < 2 * n_rules; k++) {
		size_t i = k % n_rules;

		if (!fits(&rules[i], q, k < n_rules))
			continue;
		if (rules[i].times < 0 || __sync_add_and_fetch(&used[i], 1) <= rules[i].times)
			return &rules[i];
	}
	return NULL;
}

static void serve(int in, int out)
{
	static const struct replay_rule none = {
		.head = (char *)"HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\n",
		.body = (char *)"{\"itemNotFound\": {\"code\": 404, \"message\": \"no rule\"}}",
	};
	struct replay_request q;

	while (read_request(in, &q)) {
		const struct replay_rule *r = choose(&q);

		log_request(&q);
		free(q.head);
		free(q.target);
		if (r && r->delay_ms) {
			struct timespec t = { r->delay_ms / 1000,
					      (long)(r->delay_ms % 1000) * 1000000 };

			nanosleep(&t, NULL);
		}
		if (r && r->close)
			return;
		answer(out, r ? r : &none);
	}
}

static int listen_on_loopback(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&a, len) || listen(fd, 16) ||
	    getsockname(fd, (struct sockaddr *)&a, &len))
		die("127.0.0.1");
	port = ntohs(a.sin_port);
	return fd;
}

static void publish_port(const char *state)
{
	char *path = NULL, *temporary = NULL;
	FILE *f;

	if (asprintf(&path, "%s/port", state) < 0 || asprintf(&temporary, "%s.new", path) < 0)
		die("memory");
	f = fopen(temporary, "we");
	if (!f || fprintf(f, "%d\n", port) < 0 || fclose(f) || rename(temporary, path))
		die(path);
	free(path);
	free(temporary);
}

static void serve_forever(int listener)
{
	for (;;) {
		int fd = accept(listener, NULL, NULL);

		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		if (fd < 0)
			continue;
		if (!fork()) {
			close(listener);
			serve(fd, fd);
			_exit(0);
		}
		close(fd);
	}
}

int main(int argc, char **argv)
{
	bool stdio = argc > 2 && !strcmp(argv[1], "--stdio");
	char **arg = argv + (stdio ? 3 : 1), *path = NULL;
	int listener = -1;

	if (argc < 3 || !arg[0]) {
		fprintf(stderr, "usage: replay [--stdio PORT] STATE FILE...\n");
		return 129;
	}
	signal(SIGPIPE, SIG_IGN);
	for (char **file = arg + 1; *file; file++) {
		FILE *f = fopen(*file, "re");
		char first[4] = "";

		if (!f)
			die(*file);
		if (fread(first, 1, 3, f) == 3 && !strcmp(first, "###")) {
			parse_recorded(f);
			fclose(f);
			continue;
		}
		rewind(f);
		parse_script(f);
		fclose(f);
	}
	used = mmap(NULL, sizeof(*used) * REPLAY_RULES_MAX, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (used == MAP_FAILED || asprintf(&path, "%s/log", arg[0]) < 0)
		die("memory");
	log_path = path;
	if (stdio)
		port = atoi(argv[2]);
	else
		listener = listen_on_loopback();
	publish_port(arg[0]);
	if (stdio)
		serve(STDIN_FILENO, STDOUT_FILENO);
	else
		serve_forever(listener);
	return 0;
}
