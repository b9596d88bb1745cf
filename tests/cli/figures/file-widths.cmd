# Text in a file is not wider than a page: stats fits 120 columns (-v: all columns), the stacks of flame continue on the next lines, complete.
unset COLUMNS LINES
widest() { awk '{ gsub(/µ/, "u") } length > most { most = length } END { print (most > '"$1"' ? "too wide: " most : "fits") }'; }
$CDICT convert -q -i $DATA/kvm-small.data -o x.cdict
$CDICT annotate -q x.cdict --map $DATA/kvm-small.map.csv
$CDICT stats -q x.cdict | widest 120
$CDICT stats -q x.cdict -o x.txt && widest 120 <x.txt
$CDICT stats -q x.cdict | grep -c 'more columns: -v'
$CDICT stats -qv x.cdict | widest 120 | cut -d: -f1
# wide characters, a frame without a place to break, blanks
stack="main;$(printf 'a_function_of_many_%d;' $(seq 60))$(printf 'x%.0s' $(seq 200));operator new (unsigned long);$(printf '仮%.0s' $(seq 100));read"
printf '%s 41\nmain;write 7\n' "$stack" >x.folded
$CDICT flame -q x.folded >out
sed 's/仮/ww/g' out | widest 110
# the lines of the stack together are the stack
awk '/^main;a/ { sub(/ +41\.00 +85\.42$/, ""); printf "%s", $0; on = 1; next } /^  / && on { sub(/^  /, ""); printf "%s", $0; next } { on = 0 }' out | cmp - <(printf %s "$stack") && echo complete
$CDICT flame -q x.folded --format csv | grep -c "^main;a"
