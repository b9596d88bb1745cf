# needs: jq
# A guest joined to its host, by hand from the comments of both traces; the same without a file in between; of a window; what is refused.
$MKPERF -o h.data $DATA/story.trace
$MKPERF -o g.data $DATA/story-guest.trace
$CDICT convert -q -i h.data -o host.cdict
$CDICT convert -q -i g.data -o guest.cdict
$CDICT join host.cdict 1000=guest.cdict --clock 75000000000 -o both.cdict
$CDICT vm 1000 both.cdict --inside
$CDICT latency --guest both.cdict
$CDICT tasks both.cdict --guest --json | jq -c '.guest_tasks[]'
$CDICT tasks host.cdict 1000=guest.cdict --clock 5000000000:80000000000,6000000000:81000000000 --format csv -q | cut -d, -f1,7,8,15,16 
$CDICT vm 1000 both.cdict --inside --time 80.0001,80.0005 --json | jq -c '.guest_tasks[] | [.name, .run_ns, .stolen_ns, .busy_ns, .away_ns, .sleep_ns, .unknown_ns]'
$CDICT info both.cdict | grep -i guest
# what is refused
$CDICT join host.cdict 1000=guest.cdict -o no.cdict
$CDICT join host.cdict 2000=guest.cdict --clock 75000000000 -o no.cdict
$CDICT join host.cdict =guest.cdict --clock 75000000000 -o no.cdict
$CDICT join host.cdict 1000=guest.cdict --clock 0 -o no.cdict
$CDICT join host.cdict 1000=guest.cdict --clock 1:2,0:3 -o no.cdict
$CDICT join host.cdict 1000=guest.cdict --clock x -o no.cdict
$CDICT join both.cdict 1000=guest.cdict --clock 75000000000 -o no.cdict
$CDICT join host.cdict 1000=both.cdict --clock 75000000000 -o no.cdict
$CDICT join host.cdict 1000=guest.cdict --clock 75000000000 -o guest.cdict
$CDICT join host.cdict guest.cdict -o no.cdict
$CDICT tasks --guest host.cdict
$CDICT tasks --guest both.cdict --vm 2000
$CDICT tasks host.cdict --clock 5
$CDICT vm 1000 both.cdict --inside --chain
ls no.cdict
$CDICT annotate both.cdict --anonymize -o anonymous.cdict
$CDICT info anonymous.cdict | grep -c guest
