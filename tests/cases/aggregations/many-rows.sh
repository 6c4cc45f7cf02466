"$DTRACE" -q -c "$PROGS/known seq:20000" -s "$CASE" | awk 'NF { print $1, $2 }'
