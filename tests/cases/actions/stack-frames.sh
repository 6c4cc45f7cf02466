"$DTRACE" -q -x stackframes=1 -c "$PROGS/known seq:1" -s "$CASE" |
    grep -c .
