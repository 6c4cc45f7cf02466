"$DTRACE" -q -c "$PROGS/known args" -s "$CASE" 2>/dev/null | sed '$d' >out
head -n 1 out
grep '^    char \[16\] comm = ' out
grep -c '^    struct sched_entity se = {$' out
pid=$(tail -n 1 out)
grep -qi "^    pid_t tgid = $(printf '0x%x' "$pid")$" out && echo "its pid"
grep -Eq '^        unsigned int [a-z_]+ :1 = 0' out && echo bit-fields
tail -n 3 out | sed -n 's/enqueue_task_.*/enqueue_task/; 1,2p'
