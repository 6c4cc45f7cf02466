"$DTRACE" -q -L . -n 'BEGIN { printf("ok\n"); exit(0); }'
"$DTRACE" -q -x libdir=. -n 'BEGIN { printf("ok\n"); exit(0); }'
