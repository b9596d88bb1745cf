# SPDX-License-Identifier: GPL-2.0-only
# Sourced in a work folder: runs a command repeatedly, with another allocation failing each time.
NOMEM=$BUILD/tests/tools/run/preload/nomem.so
# A command of hundreds of allocations is tried at about SOME of them (nomem.py); with EVERY=1 at each.
SOME=${NOMEM_SOME:-10}

if [ ! -e "$NOMEM" ] || [ -n "${INSTRUMENT-}" ]; then
	echo "nomem: the sanitizers and memcheck have an allocator of their own" >&2
	exit 77
fi

# The file that a command writes instead of printing: there with status 0, and not at all with 1.
FILE_MADE=
# Shell commands to run before each run, for a command that consumes its input.
BEFORE=

# walk NAME COMMAND... - a verdict on the faults that nomem.py prints
walk() {
	local name=$1 wrong
	shift
	wrong=$(python3 "$TOP/tests/tools/check/nomem.py" "$NOMEM" "$SOME" ${FILE_MADE:+"file=$FILE_MADE"} ${BEFORE:+"before=$BEFORE"} \
		${TOLD:+"told=$TOLD"} ${SEVERAL_LINES:+lines=several} ${PRINTS_AS_IT_GOES:+prints=early} -- "$@" 2>&1)
	if [ -z "$wrong" ]; then
		echo "ok $name"
	else
		echo "not ok $name"
		head -n 20 <<<"$wrong" | sed 's/^/    # /'
	fi
}
