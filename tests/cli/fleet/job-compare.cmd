# the page of two jobs has the figures of each, and none that it has not
export CDICT_STORE=$PWD/jobs
$CDICT convert -q -i $DATA/kvm-small.data -o a.cdict
$CDICT convert -q -i $DATA/kvm-libvirt-cgroups.data -o b.cdict
for job in was is; do
	$CDICT job create $job --bucket 100ms
done
$CDICT push -q --job was --host x a.cdict
$CDICT push -q --job is --host x b.cdict
$CDICT report -q --job was,is -o x.html
python3 $TOP/tests/fleet/_lib/page.py x.html print "'\n'.join('\t'.join(map(str, row)) for row in zip(*[rows['tasks']['by_column'][rows['tasks']['columns'].index(key)]
	for key in ('name', 'was_run_percent', 'was_latency_p99_ns', 'is_run_percent', 'is_latency_p99_ns')]) if row[0])" | sort >page
cat page
of_job() { $CDICT tasks -q --job $1 --json | jq -r '.tasks[] | select(.idle == 0) | [.name, .run_percent, .latency_p99_ns // "None"] | @tsv' | sort; }
cut -f 1-3 page | grep -v 'None.None$' | sort | diff - <(of_job was)
cut -f 1,4,5 page | grep -v 'None.None$' | sort | diff - <(of_job is)
