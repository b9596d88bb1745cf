#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The main task on real input: converts a perf recording of a hypervisor to a small cdict, and prints tables
# and draws pictures from the cdict alone.  demo.sh BUILD
set -euo pipefail

cdict=$1/cdict
out=$1/demo
capture=tests/data/kvm-small.data
map=tests/data/kvm-small.map.csv # what cdict identify said on that host
file=$out/kvm-small.cdict

run() {
	printf '\n$ cdict'
	printf ' %s' "$@"
	printf '\n'
	"$cdict" "$@"
}

mkdir -p "$out"
run convert -i "$capture" -o "$file"
run annotate "$file" --map "$map"
run info "$file"
run tasks "$file" -n 20
run exits "$file"
run vcpu "$file"
run heatmap "$file" --view exits -o "$out/exits.svg"
run heatmap "$file" --view switches -o "$out/switches.svg"
run heatmap "$file" --view vcpu -o "$out/vcpu.svg"
run report "$file" -o "$out/kvm-small.html"

echo
echo "The recording, the cdict made from it, and the pictures drawn from the cdict:"
for path in "$capture" "$file" "$out/exits.svg" "$out/switches.svg" "$out/vcpu.svg" \
	"$out/kvm-small.html"; do
	printf '  %9d bytes  %s\n' "$(stat -c %s "$path")" "$path"
done
