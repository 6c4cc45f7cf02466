"$DTRACE" -q -x empty -s "$CASE" -n 'BEGIN { exit(0); }'
echo $?
