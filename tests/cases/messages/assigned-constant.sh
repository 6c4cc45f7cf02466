"$DTRACE" -e -s "$CASE" 2>&1 | sed -n 's/.*error: //p; /hint: /p'
