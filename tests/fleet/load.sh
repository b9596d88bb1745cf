#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# again: moments of a clock
# tests/bench/_measure/fleet_load.sh with few hosts: everything pushed at real pace and at full speed arrives in a cluster of three, to the last event.
# needs: python3 jq redis-server redis-cli
# waits: 1
set -u
. "$TOP/tests/oracle/_lib.sh"
cd "$(mktemp -d)" || exit 1

NICE=0 HOSTS=20 BUCKETS=5 MOST=10 WORKERS=3 FLEETLOAD=$BUILD/tests/tools/make/fleetload LOAD_DIR=$PWD "$TOP/tests/bench/_measure/fleet_load.sh" >out 2>err
status=$?
if [ $status = 77 ]; then
	skip few_hosts_push_and_all_arrives "$(tail -n 1 err)"
	exit
fi
faults() {
	[ $status = 0 ] || { echo "status $status"; cat out err; }
	[ "$(awk '/buckets in the store/ { print $NF }' out | tr '\n' ' ')" = '100 200 200 ' ] || cat out
	[ "$(awk '/events in the figures/ && $NF > 1000' out | wc -l)" = 3 ] || cat out
	[ -z "$(ls -d cdict-load.* 2>/dev/null)" ] || ls
}
verdict few_hosts_push_and_all_arrives "$(faults)"
