{
	"$DTRACE" -x oformat=json -lvn profile:::tick-1s
	"$DTRACE" -x oformat=json -ln BEGIN
	"$DTRACE" -x oformat=json -lvn udp:::send | head -3
	"$DTRACE" -x oformat=json -s "$CASE" -T 'union value' -T 'enum color' -T int
} | sed -E 's/"id":[0-9]+/"id":0/' | python3 "${CASE%/*}/../../json_check.py"
