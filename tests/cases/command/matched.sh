"$DTRACE" -n BEGIN -n 'BEGIN { exit(0); }' 2>&1 >/dev/null
"$DTRACE" -s "$CASE" 2>&1 >/dev/null | sed "s,'.*/,',"
