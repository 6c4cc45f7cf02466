"$DTRACE" -q -n 'BEGIN { trace("x"); exit(0); }' 2>&1
echo
