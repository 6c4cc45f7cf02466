"$DTRACE" -q -c "$PROGS/known seq:5" -s "$CASE" >out
frames=$(grep -c "^              [^ ]" out)
value=$(awk '/^ +[0-9]+$/ { print $1 }' out)
[ "$frames" = 1 ] && [ "$value" = 5 ] && echo good || cat out
