#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# waits: 1
# timeout: 900
#
# In a real Chromium: two clicks lead from the first finding to the worst wait, with the tasks that had the CPU, and
# every number there equals the command's; siblings equal the command's, or the page explains why they are unknown. For a synthetic
# capture, one of a host with two threads per core, and all real ones with saved names of the host.
set -u
. "$TOP/tests/page/_lib.sh"
need node chromium python3

kvm=${SHARED:+$SHARED/captures/kvm}
identity=${kvm:-$DATA}/identity
what=()

# page NAME FILE [MAP] - the capture's page, with the names of MAP
page() {
	"$CDICT" convert -q -i "$2" -o "$1.cdict" >/dev/null 2>&1
	[ -s "$1.cdict" ] || { echo "$2 is not converted"; exit 1; }
	[ -z "${3:-}" ] || "$CDICT" annotate -q "$1.cdict" --map "$3" >annotate.out 2>&1 || { cat annotate.out; exit 1; }
	report "$1.cdict" -o "$1.html" || { cat report.out; exit 1; }
	what+=("two_clicks_lead_to_the_worst_wait_of_$1" "$1.html" "$1.cdict")
}

# names NAME - prints the names that identify finds in the saved /proc of a capture's host
names() {
	local state=()
	"$BUILD/tests/tools/make/proctree" "$identity/$1.proc.txt" "$1.proc" || exit
	case $1 in
	kvm-libvirt-run2) state=(--libvirt-state "$identity/libvirt-run2/run-libvirt-qemu") ;;
	kvm-libvirt) state=(--libvirt-state "$identity/libvirt/run-libvirt-qemu") ;;
	esac
	"$CDICT" identify -q --proc-root "$1.proc" --libvirt off "${state[@]}" -o "$1.csv" >identify.out 2>&1
	grep -q ,vcpu1, "$1.csv" || { cat identify.out; exit 1; }
}

cd "$TMPDIR" || exit
ln -s "$DATA/formats" formats
"$MKPERF" -o neighbours.data "$DATA/neighbours.trace" || exit
page neighbours neighbours.data
# as if the host had two threads per core, so that there are siblings
python3 "$TOP/tests/tools/check/pairthreads.py" "$DATA/kvm-small.data" paired.data || exit
page paired paired.data
for file in "$identity"/*.proc.txt; do
	name=$(basename "$file" .proc.txt)
	data=${kvm:-$DATA}/$name.data
	[ -e "$data" ] || continue
	names "$name"
	page "$name" "$data" "$name.csv"
	"$CDICT" vcpu -q --by vm --format csv "$name.cdict" | grep -qvE '^(vm|[0-9]+),' || { echo "$name has no names"; exit 1; }
done
[ -n "$kvm" ] || page kvm-zstd "$DATA/kvm-zstd.data"
node "$LIB/delays.mjs" "${what[@]}"
