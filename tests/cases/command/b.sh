"$DTRACE" -q -b 64k -n 'BEGIN { printf("ok\n"); exit(0); }'
"$DTRACE" -q -b much -n BEGIN >/dev/null 2>err
echo $?
