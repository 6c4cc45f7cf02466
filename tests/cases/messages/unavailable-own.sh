"$DTRACE" -e -s "$CASE" 2>&1 | sed -n 's/^[^]]*] //p; s/^ *hint: /hint: /p'
