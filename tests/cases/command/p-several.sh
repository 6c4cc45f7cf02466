# both wait until a line comes
mkfifo one two
"$PROGS/calls" one.counts wait 3 <one >/dev/null &
one=$!
"$PROGS/calls" two.counts wait 3 <two >/dev/null &
two=$!
exec 5>one 6>two
"$DTRACE" -q -o out -p "$one,$two" -n 'BEGIN { printf("begun\n"); }
pid$target:a.out:fn_nop:entry /pid == $target && progenyof($target)/ {
	@[pid] = count();
}
pid$target:a.out:fn_nop:entry /pid != $target/ { printf("none\n"); }
END { printa("%d: %@d\n", @); }' &
tracer=$!
while ! grep -q begun out 2>/dev/null; do
	sleep 0.05
done
echo >&5
wait $one
kill -0 $tracer && echo "dtrace traces the other"
echo >&6
wait $two
wait $tracer
sed -e "s/^$one:/ONE:/; s/^$two:/TWO:/" out | sort
