cp "$CASE" script.d
"$DTRACE" -s script.d 2>&1 >/dev/null
"$DTRACE" -q -s script.d 2>&1 >/dev/null
"$DTRACE" -w -n 'BEGIN { exit(0); }' 2>&1 >/dev/null
"$DTRACE" -n 'BEGIN { exit(0); }' 2>&1 >/dev/null
