"$DTRACE" -e 'BEGIN { exit(0); }' 2>&1
echo $?
"$DTRACE" -e -n 'BEGIN { trace($1); }' 5
echo $?
