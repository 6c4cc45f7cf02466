ulimit -S -c 0 && ulimit -H -c 4
"$DTRACE" -qw -s "$CASE"
"$DTRACE" -qw -x core -s "$CASE"
