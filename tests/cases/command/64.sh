"$DTRACE" -64 -e -s "$CASE"
echo $?
"$DTRACE" -32 -e -s "$CASE" 2>&1
echo $?
"$DTRACE" -33 -e -s "$CASE" 2>/dev/null
echo $?
