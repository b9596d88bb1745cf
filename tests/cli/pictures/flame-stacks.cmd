# folded stacks: added up over files, printed again, compared, with hostile names that stay text
printf 'main;work;read 12\nmain;work 3.5\nmain;idle 4\n\nno number\nmain;work;read 1\r\n' >a.folded
printf 'main;work;read 2\nmain;new 10\n' >b.folded
$CDICT flame a.folded
$CDICT flame -i a.folded --format folded -q
$CDICT flame a.folded b.folded --format csv -q | tr -d '\r'
$CDICT flame a.folded b.folded --json -q
cat a.folded | $CDICT flame -q -n 1
# as wide as the sums: of 30.5 samples 25.5 are main;work...; of the frames of the new one the shares before
$CDICT flame a.folded b.folded -q --format svg | grep -o 'data-s.*</title>'
$CDICT flame b.folded --base a.folded -q --format svg --title T | head -1
$CDICT flame b.folded --base a.folded -q --format svg --title 'a <b> & "c"' --count-name calls | grep -o '<text class="\(head\|dim sub\)[^/]*\|<title>.*</title>\|rect class="c[0-9]*'
# names are text, whatever they contain
printf '%b' '</script><script>alert(1)</script>;"q\x27&<b>\x1b[31m;]]> 7\n' >h.folded
$CDICT flame h.folded
$CDICT flame h.folded --format svg | grep -c '<script'
$CDICT flame h.folded --format html | grep -c '<script'
$CDICT flame h.folded --format svg | python3 -c 'import sys, xml.dom.minidom as m
for t in m.parse(sys.stdin).getElementsByTagName("title"): print(repr(t.firstChild.data))'
# too deep, too much, nothing at all
{ for i in $(seq 8193); do printf 'f;'; done; echo 'f 1'; } >deep.folded
$CDICT flame deep.folded
for i in $(seq 2100); do echo "f 9007199254740991"; done >much.folded
$CDICT flame much.folded
printf 'no stacks here\n' >none.txt
$CDICT flame none.txt
$CDICT flame a.folded --by off-cpu
$CDICT flame a.folded -o x.gif
$CDICT flame a.folded -o a.folded
