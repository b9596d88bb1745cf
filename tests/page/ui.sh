#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The interface's rules that need no browser: how names and numbers are shown, what the address
# holds, where zoom leads.
set -u
. "$TOP/tests/page/_lib.sh"
need node
node --no-warnings "$LIB/ui.mjs" "$TOP/render/web" || { echo "node ended with $?"; exit 1; }
