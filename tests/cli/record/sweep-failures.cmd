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
# a metric that is missing costs that metric, not the run; it is missing again after an interruption
cat >bench <<'END2'
#!/bin/sh
n=$(($(cat runs 2>/dev/null || echo 0) + 1))
echo $n >runs
[ $n = 3 ] && echo '{"v": "three", "w": 1}' && exit
[ $n = 4 ] && echo '{"v": [], "w": "2"}' && exit
[ $n = 5 ] && kill -9 $PPID && sleep 9
echo "{\"v\": $n, \"w\": $n}"
END2
rm -f runs
export CDICT
bash -c '"$CDICT" sweep -q -n 3 -L b 1,2 --metric v --metric w -o m.svg -- ./bench {b}; echo status $?' 2>/dev/null
tail -n +4 m.journal | sed 's/"took_ns": [0-9]*/"took_ns": 1/'
$CDICT sweep -q -n 3 -L b 1,2 --metric v --metric w -o m.svg -- ./bench {b}
echo "status $?"
jq -c '.done[] | [.point, .run, .status, .samples, .missing]' m.json
jq -c '.sweep[] | [.params.b, .metric, .runs, .failed, .samples]' m.json
grep -o '<title>b=[^<]*' m.svg
$CDICT sweep --plot m.json -q -o again.svg >/dev/null
cmp m.svg again.svg && echo "the same picture"
# damaged: as many reasons as metrics, and texts
sed -i 's/, *"missing": *\[[^]]*\]//' m.json
$CDICT sweep --plot m.json -q -o again.svg
echo "status $?"
