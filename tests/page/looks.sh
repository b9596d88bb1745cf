#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 600
#
# In a real Chromium: every text of every view is readable in both themes (WCAG 2.1 AA); the Tab key reaches every control, in order,
# with a focus mark and a name for screen readers; counts have thousands separators; a page opens on a view that shows something; captures of
# which only some have wake-ups are compared by what both have.
set -u
. "$TOP/tests/page/_lib.sh"
need node chromium
ln -sfn "$DATA/formats" formats

"$CDICT" convert -q -i "$DATA/kvm-small.data" -o run.cdict && "$CDICT" annotate -q run.cdict --map "$DATA/kvm-small.map.csv" && report run.cdict || exit 1
"$CDICT" convert -q -i "$DATA/kvm-libvirt-cgroups.data" -o other.cdict && report run.cdict other.cdict --label before,after -o both.html || exit 1
report "$TOP/tests/oracle/format/v1.0-loss.cdict" -o loss.html || exit 1
"$CDICT" convert -q -i "$DATA/job.pfw" -o io.cdict 2>convert.err # one of its lines is damaged
report io.cdict || exit 1
"$CDICT" convert -q -i "$DATA/kvm-small.data" -e 'sched:sched_switch,kvm:*' -o few.cdict && report run.cdict few.cdict --label all,few -o waits.html || exit 1
export CDICT_STORE=$PWD/store
"$CDICT" job create 2001 --bucket 10ms && "$CDICT" push -q --job 2001 run.cdict && "$CDICT" report -q --job 2001 --no-host-pages -o job.html || exit 1
"$CDICT" job create 2002 --bucket 10ms && "$CDICT" push -q --job 2002 other.cdict && "$CDICT" report -q --job 2001,2002 -o jobs.html || exit 1

# its story, with the details of its vCPUs
vm=$("$CDICT" vcpu -q --json run.cdict | sed -n '0,/.*"vm": "\([^"]*\)".*/s//\1/p')
# narrow names, and tasks without labels
"$CDICT" convert -q -i "$DATA/kvm-small.data" -o bare.cdict && report bare.cdict || exit 1

node "$LIB/looks.mjs" "bare=bare.html=vcpus,vcpus&vm=1112" \
	"run=run.html=vcpus,vcpus&vm=$vm,vcpus&states=exit,exits,exits&reasons=io,tasks,tasks&fold=tasks,coremap,switches,cores,cores&paint=state" \
	"loss=loss.html=vcpus,exits,cores" \
	"both=both.html=compare,compare&compare=tasks,compare&compare=coremap" \
	"io=io.html=cores" \
	"waits=waits.html=compare" \
	"job=job.html=" \
	"jobs=jobs.html="
