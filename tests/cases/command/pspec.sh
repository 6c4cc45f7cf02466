"$DTRACE" -q -x pspec -n 'BEGIN { printf("ok\n"); exit(0); }'
