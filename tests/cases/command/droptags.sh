"$DTRACE" -q -x aggsize=64k -x droptags -c "$PROGS/known seq:20000" \
    -s "$CASE" 2>&1 >/dev/null |
    sed 's/[0-9][0-9]* aggregation drops* on CPU [0-9]*; -x aggsize=[0-9]*[km] would have been enough$/N drops/' | sort -u
