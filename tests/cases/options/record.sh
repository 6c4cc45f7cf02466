"$DTRACE" -x record=run.dtr -q -s "$CASE" 2>&1
echo $?
"$DTRACE" -r run.dtr 2>&1
echo $?
