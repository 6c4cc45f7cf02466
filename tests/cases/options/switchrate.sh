"$DTRACE" -q -x switchrate=60s -s "$CASE" >out &
pid=$!
until grep -qs ready out; do sleep 0.05; done
sleep 1.5
sed '/^$/d' out
kill $pid
wait $pid
test "$(grep -c tick out)" -gt 5 && echo "and the ticks"

"$DTRACE" -q -x switchrate=60s -x bufsize=1m -n '
    syscall::getpriority:entry /pid == $target/ { printf("%d\n", timestamp); }' \
    -c "$PROGS/burst 1 60000" >out 2>err
echo $(grep -c "[0-9]" out) $(cat err)
