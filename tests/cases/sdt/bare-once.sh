"$DTRACE" -q -s "$CASE"
for description in sched_switch '*:::sched_switch' :sched::sched_switch \
    rawtp:::sched_switch 'raw*:::sched_switch' '???:::sched_switch'; do
	echo "$description:" $("$DTRACE" -l -n "$description" |
	    awk 'NR > 1 { print $2 }')
done
