# a cut and a changed file: reported, and status 2
$CDICT convert -q -i $DATA/kvm-small.data -o x.cdict
size=$(stat -c %s x.cdict)
head -c $((size - 100)) x.cdict >cut.cdict
$CDICT info --verify -q cut.cdict >out
echo "status $?"
grep -c '^state: no damage' out
cp x.cdict changed.cdict
printf '\377\377' | dd of=changed.cdict bs=1 seek=$((size / 2)) conv=notrunc status=none
$CDICT info --verify -q changed.cdict >out
echo "status $?"
grep -A1 '^state' out | sed 's/[0-9][0-9.,]*/N/g'
