"$DTRACE" -q -n BEGIN -n 'BEGIN { printf("a\n"); exit(0); }'
