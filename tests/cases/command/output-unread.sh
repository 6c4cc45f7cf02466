trap '' PIPE
{ "$DTRACE" -l 2>err; echo $? >status; } | head -n 0
cat status err
{ timeout 20 "$DTRACE" -q -x switchrate=20ms -n 'tick-1ms { trace("x\n"); }' \
    2>err; echo $? >status; } | head -n 1
cat status err
"$DTRACE" -l 2>&1 >/dev/full
echo $?
"$DTRACE" -q -n 'BEGIN { trace("x"); exit(0); }' 2>&1 >/dev/full
echo $?
