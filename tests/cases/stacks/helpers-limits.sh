"$DTRACE" -q -x droptags -c "$PROGS/helped 1" -s "$CASE" | grep -o -e 'gamma:30' -e '\[.*'
