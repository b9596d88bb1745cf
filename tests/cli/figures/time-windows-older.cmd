# needs: jq
# A file whose digests have sched_wakeup with success=0 (without DIGEST_WAKES_APART), so that cdict may not use them:
# 11 slept at 1.000010, was woken in vain at 1.000020, and 50,000 wake-ups of others followed. It never waited.
gzip -dc "$DATA/older-wakeups.cdict.gz" >older.cdict
for window in 0%-100% 5.9,5.90014; do
  $CDICT tasks older.cdict -q --time $window --json | jq -c '.tasks[] | select(.tid == 11) | [.run_ns, .sleep_ns, .delayed_ns, .delays]'
done
