"$DTRACE" -q -x droptags -c "$PROGS/helped 1" -s "$CASE" 2>&1 | grep -o -e 'gamma:30' -e '\[.*'
