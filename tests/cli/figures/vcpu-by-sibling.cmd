# needs: jq
# Tasks on sibling threads: by hand from the trace's comment; of one VM, and of a window.
vcpu() { "$CDICT" vcpu -q --max-loss 100 "$@"; }
$MKPERF -o x.data $DATA/siblings.trace
$CDICT convert -q -i x.data -o x.cdict
vcpu x.cdict --by sibling -v
vcpu x.cdict --by sibling --vm 2000 --format csv
vcpu x.cdict --by sibling --time 70.0002,70.0005 --format csv
vcpu x.cdict --by sibling -j 2 --format csv | sort | cksum
vcpu x.cdict --by sibling -j 1 --format csv | sort | cksum
vcpu x.cdict --format json | jq -c '.beside_total'
# the reason of an empty table is printed: one thread a core, no switches, a topology that is not known
$MKPERF -o one.data $DATA/neighbours.trace
$CDICT convert -q -i one.data -o one.cdict
vcpu one.cdict --by sibling
$CDICT convert -q -e 'kvm:*' -i x.data -o kvm.cdict
vcpu kvm.cdict --by sibling
$MKPERF --pipe --no-features -o pipe.data $DATA/siblings.trace
$CDICT convert -q -i pipe.data -o pipe.cdict
vcpu pipe.cdict --by sibling
