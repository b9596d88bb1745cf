# needs: jq
# script -t and --vm choose tasks as the tables do: the names of the events' tasks, and their VMs
$MKPERF -o x.data $DATA/two-vcpus.trace
$CDICT convert -q -i x.data -o x.cdict
tids() { $CDICT script "$@" | sed 's/^ *\([0-9]*\).*/\1/' | sort | uniq -c; }
echo '--- all'
tids x.cdict
echo '--- -t KVM'
tids x.cdict -t KVM
echo '--- -t "*1/KVM"'
tids x.cdict -t '*1/KVM'
$CDICT script x.cdict -t '1/KVM' >a
$CDICT script x.cdict --tid 1002 | cmp - a && echo the same as --tid 1002
echo '--- --vm 1000'
tids x.cdict --vm 1000
echo '--- by a name of --map, and of that a part'
echo '1001,,vcpu0,,,5,Firewall' >map.csv
tids x.cdict -t Firewall --map map.csv
$CDICT script x.cdict -t Firewall --map map.csv -e kvm_exit -C 0 --time 100.0001,100.0004 | wc -l
$CDICT script x.cdict --vm Firewall --map map.csv | cut -c1-8 | sort | uniq -c
echo '--- from a recording, and from standard input'
$CDICT script -q x.data -t '1/KVM' | cmp - a && echo the same
$CDICT script - -t '1/KVM' <x.cdict | cmp - a && echo the same
echo '--- none'
$CDICT script x.cdict -t nobody
echo $?
$CDICT script x.cdict --vm nowhere
echo $?
$CDICT script x.cdict -t '('
echo $?
