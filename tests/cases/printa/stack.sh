"$DTRACE" -q -c "$PROGS/known seq:3" -s "$CASE" >out
tr '\n' ' ' <out | grep -Eq '^< +[^ ]+ *>3 +$' && echo good || cat out
