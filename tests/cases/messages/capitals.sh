"$DTRACE" -e -s "$CASE" 2>&1 | sed -n 's/^ *hint: //p'
for use in 'trace(CurThread)' 'trace(sigkill)' 'PRINTF("")'; do
	"$DTRACE" -e -n "BEGIN { $use; }" 2>&1 | sed -n 's/^ *hint: //p'
done
# not SONPROC
"$DTRACE" -e -n 'BEGIN { trace(curproc); }' 2>&1 |
    sed -n 's/^ *hint: //p'
