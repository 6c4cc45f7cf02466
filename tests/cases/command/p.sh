sleep 3 &
"$DTRACE" -q -p $! -n 'BEGIN { printf("%d\n", $target == '$!'); }' \
    -n 'END { printf("end\n"); }'
