"$DTRACE" -q -X c -n 'BEGIN { exit(0); }'
echo $?
"$DTRACE" -q -C -x stdc=s -n 'BEGIN { exit(0); }'
echo $?
"$DTRACE" -X q -n BEGIN >/dev/null 2>&1
echo $?
