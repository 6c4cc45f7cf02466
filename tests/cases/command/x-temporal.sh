"$DTRACE" -q -x temporal -c "$PROGS/burst 2 500" -s "$CASE" | sed '/^$/d' >out
sort -n -c out && grep -c . out
