# Behind whom the VMs of a job waited: for one host the rows of "vcpu --by vm", whatever the bucket; for several, their sum. The
# sentences of vcpu and of the page have these shares.
# needs: python3
export CDICT_STORE=$PWD/store
$CDICT convert -q -i $DATA/kvm-small.data -o pids.cdict
cp pids.cdict one.cdict && $CDICT annotate -q one.cdict --map $DATA/kvm-small.map.csv
$CDICT convert -q -i $DATA/kvm-libvirt-cgroups.data -o two.cdict
cat >compare.py <<'END_OF_COMPARE'
import json, sys
from collections import Counter
job, *files = sys.argv[1:]
def sums(document, host=None):
    out = Counter()
    for row in document["delays"]:
        vm, behind, kind = row["vm"], row["behind"], row["behind_kind"]
        if host and vm.isdigit():
            vm = f"{host}:{vm}"
        if host and behind.isdigit() and kind in ("vm", "self"):
            behind = f"{host}:{behind}"
        out[vm, behind, kind] += row["behind_ns"]
    return +out
wanted = sum((sums(json.load(open(file)), file.split(".")[0]) for file in files), Counter())
got = sums(json.load(open(job)))
bad = [f"{key}: {got[key]} of {wanted[key]}" for key in got | wanted if got[key] != wanted[key]]
print(job, "is the sum of" if not bad else "is not the sum of", *files, *bad[:5], f"({'many' if len(wanted) > 20 else len(wanted)} rows)")
END_OF_COMPARE
for name in pids one two; do $CDICT vcpu -q --by vm --json $name.cdict >$name.json; done
for bucket in 20ms 1d; do
	for name in pids one two; do
		$CDICT job create j$name --bucket $bucket && $CDICT push -q --job j$name --host $name $name.cdict
		$CDICT vcpu -q --by vm --job j$name --json >$name-$bucket.json
		python3 compare.py $name-$bucket.json $name.json
		$CDICT job remove j$name
	done
done
$CDICT job create all --bucket 50ms && $CDICT push -q --job all --host one one.cdict && $CDICT push -q --job all --host two two.cdict
$CDICT vcpu -q --by vm --job all --json >all.json && python3 compare.py all.json one.json two.json
$CDICT vcpu --by vm --job all --vm instance-0000001e
$CDICT vcpu --job all | sed -n '/^VM/,/^$/p'
$CDICT report -q --job all --no-host-pages -o job.html && python3 $TOP/tests/fleet/_lib/page.py job.html print "'\n'.join(f['text'] for f in head['findings'])"
$CDICT vcpu --by sibling --job all; echo "status $?"
$CDICT vcpu --by vm -t qemu --job all; echo "status $?"
