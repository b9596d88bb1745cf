# in from a pipe, out into a pipe
set -o pipefail
cat $DATA/kvm-pipe.data | $CDICT convert -q -i - -o - | $CDICT info --verify - >out
echo "status $?"
grep -e '^events  ' -e '^made from' -e '^state' out
$CDICT convert -q -o - $DATA/kvm-small.data | $CDICT script - | wc -l
echo "status $?"
# the reader goes away: no message, and no success
$CDICT convert -q -o - $DATA/kvm-small.data | head -c 10 | wc -c
(trap '' PIPE; $CDICT convert -q -o - $DATA/kvm-small.data) | :
echo "status ${PIPESTATUS[0]}"
