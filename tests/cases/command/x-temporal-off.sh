for temporal in on off; do
	"$DTRACE" -q -x temporal=$temporal -x switchrate=1000s -s "$CASE" -c "sh -c '
	    taskset -c 1 $PROGS/known seq:1
	    taskset -c 0 $PROGS/known seq:1'"
	echo
done
