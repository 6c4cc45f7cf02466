"$DTRACE" -q -s "$CASE" 2>&1 >&-
echo $?
"$DTRACE" -lP dtrace 2>&1 >&-
echo $?
"$DTRACE" -V 2>&1 >&-
echo $?
"$DTRACE" -q -s "$CASE" -o out >&- 2>err
echo $? $(cat out err)
