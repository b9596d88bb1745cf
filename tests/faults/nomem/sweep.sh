#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Out of memory while running a sweep and drawing its figures; see tests/faults/nomem/tables.sh.
# timeout: 600
set -u
cd "$(mktemp -d)" || exit 1
. "$TOP/tests/faults/nomem/_lib.sh"
export NOMEM_OF=/cdict # the commands that it runs do not fail

walk nomem_sweep "$CDICT" sweep -q --restart -n 2 -L b 1,2 --metric v --mark 1=one -o s.svg -- echo '{"v": {b}}'
"$CDICT" sweep -q --restart -n 2 -L b 1,2 --metric v -o p.svg -- echo '{"v": {b}}' >/dev/null || exit 1
walk nomem_sweep_plot "$CDICT" sweep -q --plot p.json -o s.html
