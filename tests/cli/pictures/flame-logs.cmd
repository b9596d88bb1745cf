# logs of calls: averaged over files, the table, the CSV, the folded stacks, as worked out by hand
mkdir -p logs/a/b logs/c
cat >logs/a/b/system-test-1.stdout.txt <<'L'
a line of the test's own
+,t1,main,1,100.0,1000,500
++,t1,read,2,40,400,200
+,t2,worker,7,10,70,35
+++,t1,parse<int, 4>,2,30.25,300,150.5
++,t2,read,1,5,50,25
++,t1,write,1,20,200,100
+,t1,main,3,60,3000,1500
L
cat >logs/c/system-test-2-stdout <<'L'
+,t1,main,2,50.01,1001,501
++,t1,read,5,41.5,401,201
L
printf '+,t,not_read,1,1,1,1\n' >logs/c/stdout
# main: three lines, calls (1+3+2)/3, percent 210.01/3 = 70.00333, cycles 5001/3, ns 2501/3 = 833.6667
$CDICT flame --log-dir logs --format md --label libos --commit 1a2b3c
$CDICT flame --log-dir logs --format csv | tr -d '\r'
$CDICT flame --log-dir logs --format folded
$CDICT flame --log-dir logs --format folded --by calls
$CDICT flame --log-dir logs -o x.md -o x.csv -o x.folded -o x.json -o x.svg -o x.html -o x.png -o x.pdf && ls x.*
diff <($CDICT flame --log-dir logs --format md) x.md && diff <($CDICT flame --log-dir logs --format folded) x.folded && echo same
$CDICT flame --log-dir logs --glob 'std*' --format folded
$CDICT flame logs/c/stdout --by cycles
# a deeper line than its caller's next stands on the caller; an invalid line is reported
printf '+,t,a,1,1,1,1\n+++,t,b,1,1,1,1\n+++ b/file\n++,t,,1,1,1,1\n++,t,c,1,1,-1,1\n' | $CDICT flame - --format folded
printf '+,t,"f",1,1,1,1\n' | $CDICT flame - --format folded
$CDICT flame --log-dir logs --glob 'nothing*'
$CDICT flame --log-dir nowhere
