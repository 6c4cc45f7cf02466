"$DTRACE" -q -x late=dynamic -s "$CASE"
