#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The Grafana dashboard's queries, computed by Prometheus from the exposition of two captures, give what the tables' JSON gives;
# promtool finds no fault in names and HELP texts.
set -u
. "$TOP/tests/oracle/_lib.sh"
cd "$(mktemp -d)" || exit 1
# Debian's package starts a server when it is installed, so promtool alone is taken from it, once.
tool=$(command -v promtool) || tool=$BUILD/promtool
if [ ! -x "$tool" ] && timeout 240 apt-get download -q prometheus >apt.out 2>&1; then
	dpkg-deb --fsys-tarfile prometheus_*.deb | tar -xO ./usr/bin/promtool >"$tool.$$" && chmod +x "$tool.$$" && mv "$tool.$$" "$tool"
	rm -f prometheus_*.deb
fi
if ! /usr/bin/python3 -c 'import prometheus_client.parser' 2>/dev/null || [ ! -x "$tool" ]; then
	for test in dashboard names; do skip "prometheus_$test" "no python3-prometheus-client, or prometheus (promtool) cannot be downloaded"; done
	exit 0
fi
export PROMTOOL=$tool
"$CDICT" convert -q -i "$DATA/kvm-small.data" -o a.cdict
"$CDICT" convert -q -i "$DATA/kvm-libvirt-cgroups.data" -o b.cdict

dashboard() {
	/usr/bin/python3 "$TOP/tests/oracle/figures/_prometheus.py" "$TOP/doc/grafana.json" "$CDICT" a.cdict b.cdict a.cdict >out 2>&1
	grep -v '^compared' out
	grep -qE '^compared [1-9][0-9]+$' out || echo "too little was compared: $(tail -n 1 out)"
}
verdict prometheus_dashboard "$(dashboard)"

names() {
	local command
	for command in tasks latency exits 'exits --by reason' 'exits --by port' vcpu 'vcpu --by vm' 'vcpu --by halt' coremap switches 'successors -t .' count; do
		# shellcheck disable=SC2086 # words
		"$CDICT" $command -q --format openmetrics a.cdict | "$tool" check metrics 2>&1 | sed "s/^/$command: /"
	done
}
verdict prometheus_names "$(names)"
