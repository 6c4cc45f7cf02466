cat >run <<END
for i in 1 2 3; do
	mkdir \$i
	cp "$PROGS/chain" \$i/newfile
	\$i/newfile 3
done
END
"$DTRACE" -q -c "sh run" -s "$CASE" | tr -d ' ' |
    awk -F '[`+]' 'NF > 1 { stack = stack " " $2; next }
	stack { n[stack]++; stack = "" }
	END { for (s in n) print n[s] s }'
