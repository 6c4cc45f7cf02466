cat >run <<END
cp "$PROGS/burst" newkeys
kill -STOP \$PPID
./newkeys 2 50
kill -CONT \$PPID
END
"$DTRACE" -q -c "sh run" -s "$CASE" | tr -d ' ' |
    awk -F '[`+]' 'NF > 1 { stack = stack " " $2; next }
	/^[0-9]+$/ { print $1 stack; stack = "" }' | sort
