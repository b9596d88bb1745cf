# unreadable inputs: one line with the file and the fault, status 1, nothing written
try() {
	$CDICT convert "$@"
	echo "status $?"
}
mkdir empty-folder folder
echo '#!/bin/sh' >folder/data
: >empty.data
printf 'PERF' >short.data
printf 'PERFILE\0rest of it, long ago, of another perf altogether' >old.data
head -c 60 $DATA/kvm-small.data >header.data
head -c 5000 /dev/zero >zero.data
cp $DATA/kvm-small.cmd text.data
try missing.data
try empty-folder
try folder
try empty.data
try short.data
try old.data
try header.data
try zero.data
try text.data
try
try -o x.cdict /dev/null
try -i - -o x.cdict </dev/null
try -i - -o x.cdict <text.data
cat $DATA/kvm-small.data | try -i - -o x.cdict
try -o no/such/folder/x.cdict $DATA/kvm-small.data
try -o folder $DATA/kvm-small.data
ls -A
