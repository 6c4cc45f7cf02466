cat >run <<END
cp "$PROGS/frames" newsignals
kill -STOP \$PPID
./newsignals
kill -CONT \$PPID
END
{ "$DTRACE" -q -c "sh run" -s "$CASE"; echo; } | tr -d ' ' |
    awk -F '[`+]' '/newsignals`|__restore_rt/ { stack = stack " " $2; next }
	stack && !NF { print stack; stack = "" }'
