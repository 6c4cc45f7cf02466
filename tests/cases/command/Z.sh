"$DTRACE" -q -Z -n 'nosuch:::probe { trace(1); }' \
    -n 'BEGIN { printf("ok\n"); exit(0); }'
"$DTRACE" -q -x zdefs -n 'nosuch:::probe { trace(1); }' \
    -n 'BEGIN { printf("ok\n"); exit(0); }'
