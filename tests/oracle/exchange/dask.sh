#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# uninstrumented: a program without the sanitizer loads the library
# Parts of I/O traces, on this machine and on two workers of a Dask cluster, one of which is killed, add up to what one
# machine computes over all files.
# needs: python3
set -u
. "$TOP/tests/oracle/_lib.sh"
. "$TOP/tests/docs/_python.sh"
cd "$(mktemp -d)" || exit 1

names='here ranges definitions errors cluster'
refuse() { for name in $names; do skip "parts_$name" "$1"; done; exit 0; }
nm -C "$BUILD/libcdict.so" 2>/dev/null | grep -q __asan && refuse "the sanitizers' library needs a sanitizers' program"
find_python || refuse "$why"
if find_python distributed; then with_dask=1; else with_dask=; dask_why=$why; find_python; fi

make_trace() { python3 "$TOP/tests/oracle/exchange/_pfw/pfw.py" make "$@"; }
make_trace 3000 1 | gzip -n >a.pfw.gz && make_trace 4000 2 | split -l 300 --filter='gzip -n' >b.pfw.gz &&
	make_trace 2500 3 >c.pfw && make_trace 1000 4 | gzip -n >d.pfw.gz && echo text >t.txt || exit 1
"$CDICT" convert -q -o all.cdict a.pfw.gz b.pfw.gz c.pfw d.pfw.gz
make_trace 2000 5 >made.pfw && { grep '"M"' made.pfw && grep -v '"M"' made.pfw; } >split.pfw && split -n l/3 --additional-suffix=.pfw split.pfw split- && "$CDICT" convert -q -o split.cdict 'split-*.pfw'
{ grep -v '"M"' made.pfw && grep '"M"' made.pfw; } | gzip -n >late.pfw.gz
mkdir folder && ln a.pfw.gz b.pfw.gz c.pfw d.pfw.gz folder && echo note >folder/README
cat >kill-once <<'K'
#!/bin/sh
mkdir killed 2>/dev/null && kill -9 $PPID
exec "$REAL_CDICT" "$@"
K
chmod +x kill-once

for name in $names; do
	if [ $name = cluster ] && [ -z "$with_dask" ]; then
		skip parts_cluster "$dask_why"
		continue
	fi
	"$python" "$TOP/tests/oracle/exchange/_notebook/cluster.py" $name >differ 2>err || tail -n 3 err >>differ
	verdict "parts_$name" "$(cat differ)"
done
