"$DTRACE" -q -s "$CASE" >out
tr '|' '\n' <out | sed '/^$/d' | awk '{ print length($0), $1 }'
