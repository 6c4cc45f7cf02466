timeout 20 "$DTRACE" -q -x switchrate=20ms -n 'tick-1ms { printf("%d\n", timestamp); }' \
    2>/dev/null | head -n 1 | wc -l
