"$DTRACE" -qw -s "$CASE" >plain
echo $?
"$DTRACE" -Bqw -s "$CASE" >handled
echo $?
head -n 3 handled
cmp plain handled
"$DTRACE" -B -l >listed
"$DTRACE" -l | cmp - listed
"$DTRACE" -Bqn 'BEGIN { trace("to a file"); exit(0); }' -o out
cat out
"$DTRACE" -Bqn 'BEGIN { trace(1); exit(0); }' 2>&1 >/dev/full
echo $?
