# folded stacks as others write them: comments, CRLF, two numbers a line are a comparison
printf '# mode: wall\n# duration: 23873\nmain;work 12\n' >comments.folded
$CDICT flame comments.folded
printf '# mode: wall\r\n\r\nmain;work 12\r\nmain;idle 2\r\n' >crlf.folded
$CDICT flame comments.folded crlf.folded -q --format folded
printf 'main;work 31 56\nmain;idle 6 2\n' >two.folded
$CDICT flame two.folded
$CDICT flame two.folded two.folded -q --format folded
$CDICT flame two.folded -q --json
$CDICT flame two.folded -q --format svg | grep -o 'data-s.*</title>\|<text class="dim sub[^/]*\|rect class="c[0-9]*'
# a number that not every stack has is part of a name
printf 'main;work 31 56\nmain;idle 6\n' >one.folded
$CDICT flame one.folded -q --format folded
# which of them?
$CDICT flame two.folded --base comments.folded
$CDICT flame comments.folded --base two.folded
$CDICT flame comments.folded two.folded
