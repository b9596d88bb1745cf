#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# again: on a busy machine a recorder may lose events
# needs: jq
# shares: 1
#
# cdict sweep --record: the figures equal those of the commands on the kept recordings.
set -u
. "$TOP/tests/oracle/_lib.sh"
cd "$(mktemp -d)" || exit 1

"$CDICT" record -q -s 0.1 -o try.cdict 2>why || { skip sweep_records "$(tail -n 1 why)"; exit; }
mkdir kept
head -c 1M /dev/zero >file
recorded() {
	"$CDICT" sweep -q -n 2 --record --keep kept --max-loss 100 -t diskread -L b 4K,16K --metric record.switches --metric record.syscalls \
		--metric record.tasks.run_ns --metric record.events --metric 'reads=record{count --by syscall}.count[].calls|max' \
		--metric wall --metric cpu -o r.svg -- "$BUILD/tests/bench/_measure/diskread" -f file -b '{b}' -c 30 -j >out 2>err || echo "status $?: $(cat err)"
	for p in 0 1; do for n in 0 1; do
		file=kept/000$p-0$n.cdict
		want=$(for what in tasks.total.switches count.total.calls tasks.total.run_ns; do
			case $what in count*) by='--by syscall' ;; *) by= ;; esac
			"$CDICT" ${what%%.*} $by -q --max-loss 100 -t diskread --format json $file 2>/dev/null | jq ".${what#*.}"
		done | tr '\n' ' ')
		got=$(jq -r ".done[] | select(.point == $p and .run == $n) | .samples[0:3] | flatten | map(tostring) | join(\" \")" r.json)
		[ "$got " = "$want" ] || echo "point $p run $n: $got, but the commands say $want"
	done; done
	# thirty reads, whatever the block's size, and as many calls at least
	jq -c '.done[].samples[4][0]' r.json | while read -r calls; do [ "$calls" -ge 30 ] || echo "$calls system calls of one kind"; done
	ls kept | grep -q running && echo "a recording is left over"
	[ ! -e r.running.cdict ] || echo "r.running.cdict is left"
}
verdict sweep_records "$(recorded)"
