"$PROGS/maker" 100000 1000 >out &
pid=$!
for i in $(seq 100); do
	grep -q memfd:plugin /proc/$pid/maps && break
	sleep 0.1
done
"$DTRACE" -p $pid -lvn 'made$target:plugin:work:' |
    awk '/plugin/ { print $3, $4, $5 } /args\[/'
"$DTRACE" -qp $pid -n '
    made$target:::all-done /n++ == 3/ {
	printf("%s %d %d\n", strtok(copyinstr((uintptr_t)args[0]), " "),
	    args[1] < 0, args[2] == 1 << 40);
	print(args[7]);
	exit(0);
    }'
kill $pid
wait $pid 2>/dev/null
true
