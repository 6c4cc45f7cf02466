for form in json csv prometheus; do
	"$DTRACE" -q -x oformat=$form -s "$CASE" |
	    sed '/"event":"start"/d; s/"time":[0-9]*/"time":T/; s/"cpu":[0-9]*/"cpu":N/; s/^@_,[0-9]*/@_,T/'
done
"$DTRACE" -q -x aggpct=10,75 -x units=ns -s "$CASE"
"$DTRACE" -q -x aggpack -s "$CASE"
