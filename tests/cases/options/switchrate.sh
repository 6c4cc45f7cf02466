"$DTRACE" -q -x switchrate=60s -s "$CASE" >out &
pid=$!
until grep -qs ready out; do sleep 0.05; done
sleep 1.5
sed '/^$/d' out
kill $pid
wait $pid
test "$(grep -c tick out)" -gt 5 && echo "and the ticks"

# On a machine that is too busy to read in time, records are dropped.
for try in 1 2 3 4 5 6 7 8 9 10; do
	"$DTRACE" -q -x switchrate=60s -x bufsize=1m -n '
	    syscall::getpriority:entry /pid == $target/ {
		printf("%d\n", timestamp); }' \
	    -c "$PROGS/burst 1 60000" >out 2>err
	echo $(grep -c "[0-9]" out) $(cat err) >counted
	! grep -qx 60000 counted || break
done
cat counted
