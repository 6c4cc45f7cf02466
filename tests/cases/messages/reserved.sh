for word in break case continue counter default do for goto import probe \
    return switch while; do
	"$DTRACE" -e -n "BEGIN { $word; }" 2>&1 | sed -n '1s/.*: error: //p'
done
"$DTRACE" -e -n 'BEGIN { trace(1)' 2>&1 | sed -n '1s/.*: error: //p'
