cp "$PROGS/calls" vanishing && mkfifo go || exit 1
cat >run <<'END'
trap 'kill -9 $! 2>/dev/null; exit' TERM
while sleep 0.01; do
	./vanishing c0 wait 1 <go >/dev/null &
	sleep 0.01
	kill -9 $!
	wait
done 2>/dev/null
END
sh ./run 9<>go &
runner=$!
trap 'kill $runner; wait' EXIT
sleep 0.2
for n in 1 2 3; do
	"$DTRACE" -qn 'pid*:vanish*:fn_nop:entry,
		pid*:'"$PWD"'/vanishing:fn_nop:entry
		{ @ = count(); } END { printa("%@d\n", @); }' -Z \
		-c "sh -c './vanishing c1 once 5 & ./vanishing c2 once 6; wait'"
done
