# I/O traces: names by hash, sizes, a line that cannot be read, non-ASCII bytes, several files, gzip, from a pipe
$CDICT convert -o job.cdict $DATA/job.pfw
echo "status $?"
$CDICT script -q --max-loss 100 job.cdict | LC_ALL=C cat -v
$CDICT query -q --max-loss 100 --format csv "SELECT ts, dur, category, name, fname, size, host, args FROM slice" job.cdict | LC_ALL=C cat -v
$CDICT info job.cdict | sed -n '/^loss/,$p'
gzip -nc $DATA/job.pfw >a.pfw.gz
cp $DATA/job.pfw b.pfw
$CDICT convert -o two.cdict '[ab].pfw*'
echo "status $?"
cat a.pfw.gz | $CDICT convert -q -o - -i - -e 'POSIX:*' | $CDICT query -q --max-loss 100 "SELECT name, count(*) FROM slice GROUP BY 1" -
$CDICT query -q --max-loss 100 "SELECT name, category, count, dur FROM active_sums('file_0')" job.cdict
head -c 300 a.pfw.gz >cut.pfw.gz
$CDICT convert cut.pfw.gz
echo "status $?"
