# needs: jq
# every state of every vCPU, by hand from the traces' comments; µs, the last number is their sum.
# (c of loss.trace waits behind b, but before its first entry it is not known as a vCPU.)
states() {
	$MKPERF -o $1.data $DATA/$1.trace
	$CDICT convert -q --max-loss 50 -i $1.data -o $1.cdict
	echo "$1"
	$CDICT vcpu $1.cdict -q --max-loss 50 --format json | jq -r '.vcpu[] |
		[.guest_ns, .exit_ns, .qemu_ns, .preempted_ns, .waiting_ns, .halted_ns, .blocked_ns, .unknown_ns] as $all |
		($all | map(. // 0)) as $s |
		"\(.tid): guest \($s[0] / 1000) exit \($s[1] / 1000) qemu \($all[2]) preempted \($s[3] / 1000) " +
		"waiting \($all[4] | if . then . / 1000 else . end) halted \($s[5] / 1000) blocked \($s[6] / 1000) unknown \($s[7] / 1000): " +
		"\($s | add / 1000)\(if .lossy then " lossy" else "" end)"'
	$CDICT vcpu $1.cdict -q --max-loss 50 --by antagonist --format json | jq -r '.antagonists[] |
		"\(.tid) behind \(.antagonist_tid): \(.preempted_ns / 1000) + \((.waiting_ns // 0) / 1000), \(.slices) slices, took over \(.took_over)"'
	# the sum of them, as exact as its parts
	$CDICT vcpu $1.cdict -q --max-loss 50 --by vm | sed -n 's/^all VMs  */all VMs behind /p'
}
states two-vcpus
states same-names
states loss
