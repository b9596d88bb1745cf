# a full disk is told; a reader that went away is not
$CDICT convert -q -i $DATA/kvm-small.data -o x.cdict
for words in help 'info x.cdict' 'tasks x.cdict' 'exits x.cdict' 'script x.cdict'; do
	$CDICT $words >/dev/full
	echo "$words: status $?"
done
$CDICT info x.cdict >&-
echo "closed: status $?"
(trap '' PIPE; $CDICT script x.cdict) | head -n 0
echo "ignored pipe: status ${PIPESTATUS[0]}"
