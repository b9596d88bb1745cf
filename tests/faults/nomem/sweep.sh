#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Out of memory while running a sweep and drawing its figures; see tests/faults/nomem/tables.sh.
# timeout: 600
set -u
cd "$(mktemp -d)" || exit 1
. "$TOP/tests/faults/nomem/_lib.sh"
export NOMEM_OF=/cdict # the commands that it runs do not fail

walk nomem_sweep "$CDICT" sweep -q --restart -n 2 -L b 1,2 --metric v --metric 'w[1:]|count' --mark 1=one:red -o s.svg -- echo '{"v": "{b}", "w": [{b:text}]}'
walk nomem_sweep_commands "$CDICT" sweep -q --restart -n 2 --export-json e.json --metric v -o s.json "echo '{\"v\": 2}'" "echo '{\"v\": 1}'"
"$CDICT" sweep -q --restart -n 2 -L b 1,2 --metric v -o p.svg -- echo '{"v": {b}}' >/dev/null || exit 1
walk nomem_sweep_plot "$CDICT" sweep -q --plot p.json -o s.html
