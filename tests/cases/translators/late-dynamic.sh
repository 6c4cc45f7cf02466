"$DTRACE" -x late=dynamic -s "$CASE"
