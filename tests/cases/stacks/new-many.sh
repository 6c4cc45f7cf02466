cat >run <<END
cp "$PROGS/chain" newmany
kill -STOP \$PPID
for i in \$(seq 270); do ./newmany; done
kill -CONT \$PPID
END
{ "$DTRACE" -q -c "sh run" -s "$CASE"; echo; } | tr -d ' ' |
    awk -F '[`+]' 'NF > 1 { stack = stack " " $1 "`" $2; next }
	stack { n[stack]++; stack = "" }
	END { for (s in n) print n[s] s }' | sort -n
