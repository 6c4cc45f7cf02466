"$DTRACE" -q -x allfaults -c "$PROGS/known seq:5" -s "$CASE" 2>&1 | grep hint: | sort | uniq -c
"$DTRACE" -qn 'tick-400ms { trace(*(int *)0x12345678); }
    tick-400ms /++n == 7/ { exit(0); }' 2>&1 | grep -c hint:
