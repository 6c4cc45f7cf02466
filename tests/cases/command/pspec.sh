"$DTRACE" -q -x pspec -n 'BEGIN { printf("ok\n"); exit(0); }'
"$DTRACE" -q -Z -n 'string* { trace(1); } BEGIN { exit(0); }' 2>&1 |
    sed -n '1s/.*\[/[/p'
"$DTRACE" -q -Z -x pspec -n 'string* { trace(1); } BEGIN { exit(0); }' &&
    echo "a description"
