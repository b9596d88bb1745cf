# -e: globs, lists, repeated; events not stored are named and counted
kept() {
	echo "-- $*"
	$CDICT convert -i $DATA/kvm-small.data -o x.cdict "$@" 2>err
	echo "status $?"
	sed 's/, [0-9.]* MB -> .* bytes.event/, .../' err
	$CDICT info x.cdict | sed -n '/^events by type/,/^$/p' | sed 's/  */ /g' | grep -v 'more recorded types'
}
kept -e sched:sched_switch
kept -e 'kvm:kvm_e*'
kept -e 'sched:sched_switch,kvm:kvm_exit' -e sched:sched_waking
kept -e '*:*_exit'
rm x.cdict # which nothing would not replace
kept -e 'nonsense:*'
kept -e ''
