"$DTRACE" -q -e -s "$CASE"
echo $?
