/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fakeqemu ARGUMENTS... - a process that looks like QEMU from outside: copied to a file
 * qemu-system-x86_64 and run with QEMU's arguments, which it ignores. $THREADS holds the
 * names of its threads, one a line ("" keeps the process's). Prints "TID NAME" of each,
 * its own first, then "ready", and ends when its standard input does.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct thread {
	const char *name;
	pthread_barrier_t named;
};

static void print(const char *name)
{
	printf("%ld %s\n", (long)syscall(SYS_gettid), name);
	fflush(stdout);
}

static void *thread(void *arg)
{
	struct thread *t = arg;

	if (*t->name)
		pthread_setname_np(pthread_self(), t->name);
	print(t->name);
	pthread_barrier_wait(&t->named);
	for (;;)
		pause();
	return NULL;
}

int main(void)
{
	const char *names = getenv("THREADS");
	char *list = strdup(names ? names : ""), *rest = list, *name, byte;

	print("");
	while (*rest && (name = strsep(&rest, "\n"))) {
		struct thread *t = malloc(sizeof(*t)); /* for as long as the process runs */
		pthread_t id;

		if (!t)
			return 1;
		t->name = name;
		pthread_barrier_init(&t->named, NULL, 2);
		if (pthread_create(&id, NULL, thread, t))
			return 1;
		pthread_barrier_wait(&t->named);
		if (!rest)
			break;
	}
	printf("ready\n");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	return 0;
}
