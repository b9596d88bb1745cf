/* SPDX-License-Identifier: GPL-2.0-only */
/* proctree NAME.proc.txt DIR - lays a host's identity snapshot out as a /proc tree. */
#include "tests/unit/proctree.h"

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: proctree NAME.proc.txt DIR\n");
		return 129;
	}
	proctree_lay(argv[1], argv[2]);
	return 0;
}
