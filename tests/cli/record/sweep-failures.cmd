# needs: jq
# a run that fails is in the data, the table and the picture, and does not count
cat >bench <<'END'
#!/bin/sh
n=$(($(cat runs 2>/dev/null || echo 0) + 1))
echo $n >runs
[ $n = 2 ] && echo "the disk is gone" >&2 && exit 7
[ $n = 5 ] && kill -9 $$
[ $n = 6 ] && echo '{"w": 1}' && exit
[ $n = 7 ] && echo 'nothing' && exit
[ $n = 8 ] && echo '{"v": "one"}' && exit
[ $n = 9 ] && echo '{"v": [' && exit
echo "{\"v\": $n}"
END
chmod +x bench
$CDICT sweep -n 3 -L b 1,2,3 --metric v -o x.svg -- ./bench {b}
echo "status $?"
jq -c '.done[] | [.point, .run, .status, .failed, .samples]' x.json
grep -c 'url(#loss)' x.svg
grep -o '<title>b=[^<]*' x.svg
rm runs
$CDICT sweep -q --ignore-failure -n 3 --metric v -o x.csv -- ./bench >/dev/null
echo "status $?"
# a command that cannot be started, or prepared, ends the sweep
$CDICT sweep -n 3 -o y.svg -- ./missing
echo "status $?"
$CDICT sweep -n 3 -L b 1,2 --prepare 'test {b} = 1 || { echo {b} is bad >&2; exit 3; }' --metric v -o z.svg -- echo '{"v": 1}'
echo "status $?"
ls *.svg *.journal
