"$DTRACE" -q -x bufsize=100t -s "$CASE" 2>&1 | sed 's/to [0-9]*k/to SIZE/'
"$DTRACE" -q -x bufsize=100t -x bufresize=manual -s "$CASE" 2>&1 | cut -c1-40
