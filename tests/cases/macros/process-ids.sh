set -m
"$DTRACE" -q -n 'BEGIN { printf("%d %d %d %d\n", $pid, $ppid, $pgid, $sid);
    exit(0); }' >ids &
pid=$!
wait $pid
# pid and ppid are known, the group is new, the session is ours
read -r _ _ _ _ _ sid _ </proc/$$/stat
read -r a b c d <ids
[ "$a $b $c $d" = "$pid $$ $pid $sid" ] && echo "as the shell has them"
