mkfifo go && exec 7<>go || exit 1
"$PROGS/family" fork 1 fork 2 await 5 spawn 7 end end \
	exec "$PROGS/calls" c wait 20 end 11 <go >ready 2>errors &
family=$!
until [ "$(pgrep -cg 0 -x family)" = 4 ]; do
	sleep 0.05
done
: >out
"$DTRACE" -x follow -x aggsortkey -Zqn 'BEGIN { printf("ready\n"); }
	pid$target:a.out:family_work:entry, pid$target:a.out:fn_nop:entry
	{
		@[probemod, pid == $target] = count();
	}
	END { printa("%s %d %@d\n", @); }' -p $family >out &
dtrace=$!
until grep -q ready out; do
	kill -0 $dtrace || exit 1
	sleep 0.05
done
echo >go; echo >go
until grep -q ready ready; do
	sleep 0.05
done
echo >go
wait $dtrace
grep -v ready out
