"$DTRACE" -q -x evaltime=exec -c "$PROGS/known args" -s "$CASE"
