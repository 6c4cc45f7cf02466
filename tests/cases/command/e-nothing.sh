"$DTRACE" -e -x strsize=32
echo $?
"$DTRACE" -e -x nosuch 2>/dev/null
echo $?
