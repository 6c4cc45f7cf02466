"$DTRACE" -q -c "$PROGS/known seq:1" -s "$CASE" >out
tr '\n' ' ' <out | grep -Eq '^< +[^ ]+ *> +$' && echo good || cat out
