# A capture with nothing after its head has no CPU: a core map without a column, which the sanitizers' build walks as well;
# and an I/O trace, whose CPUs are streams
$CDICT convert -q -i $DATA/job.pfw -o io.cdict
head -c 16 io.cdict >empty.cdict
for file in io.cdict empty.cdict; do
	for by in run switches; do
		$CDICT coremap -q --max-loss 100 $file --by $by -v
		echo "$file: $?"
	done
	$CDICT coremap -q --max-loss 100 $file --format csv
done
$CDICT stats -q --max-loss 100 empty.cdict
echo "stats: $?"
