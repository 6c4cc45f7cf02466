"$DTRACE" -s "$CASE" -lT '*ourlist_*'
"$DTRACE" -lT 'struct task_struct' -T 'tcpsinf*'
"$DTRACE" -lT 'nosuch*' 2>&1
"$DTRACE" --json -lT int 2>&1
echo status $?
