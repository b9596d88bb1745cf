# the format: by --to, or by the output's ending
$CDICT convert -q -i $DATA/kvm-small.data -o x.cdict
$CDICT export x.cdict
$CDICT export x.cdict -o x.gif
$CDICT export x.cdict --to gif
$CDICT export x.cdict --to csv --by exits
$CDICT export x.cdict --to perfwhiz -z -o x
$CDICT export x.cdict --to folded
$CDICT export x.cdict -o x.folded.gz
$CDICT export x.cdict -o x.cdict --to csv
$CDICT export none.cdict --to csv
$CDICT export x.cdict --to csv --time 10%-20%,30%-40%
$CDICT export x.cdict x.cdict --to csv
$CDICT export x.cdict --to sqlite
$CDICT export x.cdict -o x.sqlite.gz
$CDICT export x.cdict -o x.sqlite -t KVM
mkfifo pipe
$CDICT export x.cdict --to sqlite -o pipe <>pipe
ls x.sqlite
$CDICT export x.cdict --to parquet
$CDICT export x.cdict -o x.parquet -z
$CDICT export x.cdict -o x.parquet -C 1
mkdir full
touch full/file
$CDICT export x.cdict --to parquet -o full/
$CDICT export x.cdict --to parquet -o full/file
$CDICT export x.cdict --to parquet -o none/x
$CDICT export x.cdict --to parquet -o .
# whole or not at all
(trap '' XFSZ; ulimit -f 16; $CDICT export x.cdict --to parquet -o cut)
mkdir empty
$CDICT export x.cdict --to parquet -o empty/
ls -A . full empty/sched empty/kvm:kvm_exit
$CDICT query --format parquet -o q.parquet 'SELECT 1; SELECT 2' x.cdict
$CDICT query --format parquet -o q.parquet 'CREATE TABLE t(x)' x.cdict
$CDICT query --format parquet -o q.parquet 'SELECT 1 AS x' x.cdict && head -c 4 q.parquet && tail -c 4 q.parquet && echo
# compressed by its name, by -z, or not at all
$CDICT export x.cdict -o a.csv
$CDICT export x.cdict -o a.csv.gz
$CDICT export x.cdict -z --to csv >b.csv.gz
zcat a.csv.gz | cmp - a.csv && zcat b.csv.gz | cmp - a.csv && echo the same
# from a pipe, and of a recording of perf
cat x.cdict | $CDICT export --to csv | cmp - a.csv
$CDICT export -q $DATA/kvm-small.data --to csv | cmp - a.csv
# the threads that decode change nothing
$CDICT export x.cdict -j 2 --to csv | cmp - a.csv
# the reader closes the pipe
$CDICT export x.cdict --to pfw | head -c 10 >/dev/null
