timeout --foreground --preserve-status -s INT 2 "$DTRACE" -q -s "$CASE" >out
echo $?
grep . out
