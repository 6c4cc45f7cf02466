cp "$CASE" script.d
"$DTRACE" -x errtags -e -s script.d 2>&1 | cut -d"'" -f1 | grep dtrace:
"$DTRACE" -x errtags -e -n 'BEGIN { trace(nosuch); }' 2>&1 | cut -d"'" -f1 | grep dtrace:
echo "not unless it is asked for:"
"$DTRACE" -e -s script.d 2>&1 | cut -d"'" -f1 | grep dtrace:
"$DTRACE" -x errtags=off -e -s script.d 2>&1 | cut -d"'" -f1 | grep dtrace:
