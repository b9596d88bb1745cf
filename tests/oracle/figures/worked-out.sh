#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# needs: python3
#
# Checks every column of every table for a capture made of known durations: _worked-out.py.
set -u
figures=$TOP/tests/oracle/figures/_worked-out.py
cd "$TMPDIR" || exit
ln -s "$DATA/formats" formats
python3 "$figures" trace >figures.trace && "$MKPERF" -o figures.data figures.trace &&
	"$CDICT" convert -q -e "*" -i figures.data -o figures.cdict || exit
python3 "$figures" check "$CDICT" figures.cdict
