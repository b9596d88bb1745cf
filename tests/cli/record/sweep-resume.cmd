# needs: jq
# a sweep ended by kill -9 continues where it was: only the current run is lost
cat >bench <<'END'
#!/bin/sh
n=$(($(cat runs 2>/dev/null || echo 0) + 1))
echo $n >runs
[ $n = 5 ] && kill -9 $PPID && sleep 9
echo "{\"v\": $n}"
END
chmod +x bench
sweep() { $CDICT sweep "$@" 2>&1; echo "status $?"; }
export CDICT
bash -c '"$CDICT" sweep -n 3 -L b 1,2 --metric v -o x.svg --setup "echo {b} >>setup" -- ./bench {b}; echo status $?' 2>/dev/null
wc -l <x.journal
# a crash may leave half a line
printf '{"point": 1, "run"' >>x.journal
cp x.journal kept
sweep -n 3 -L b 1,2,3 --metric v -o x.svg --setup 'echo {b} >>setup' -- ./bench {b}
sweep -n 3 -L b 1,2 --metric w -o x.svg --setup 'echo {b} >>setup' -- ./bench {b}
sweep -n 3 -L b 1,2 --metric v -o x.svg --setup 'echo {b} >>setup' -- ./bench --fast {b}
sweep -n 4 -L b 1,2 --metric v -o x.svg --setup 'echo {b} >>setup' -- ./bench {b}
cmp kept x.journal && echo "a refused sweep changes nothing"
sweep -n 3 -L b 1,2 --metric v -o x.svg --setup 'echo {b} >>setup' -- ./bench {b}
cat runs setup | tr '\n' ' '
jq -c '.done[] | [.point, .run, .samples[0][0]]' x.json | tr '\n' ' '
ls x.*
# a journal that is damaged further up, or is not a journal
cp kept x.journal && sed -i '3s/.*/{"point": 7}/' x.journal
sweep -n 3 -L b 1,2 --metric v -o x.svg --setup 'echo {b} >>setup' -- ./bench {b}
sweep -n 3 -L b 1,2 --metric v -o x.svg --setup 'echo {b} >>setup' --restart -q -- ./bench {b} | tail -n 1
echo 'my diary' >x.journal
sweep -n 3 -L b 1,2 --metric v -o x.svg --restart -- ./bench {b}
cat x.journal
