for desc in "$PROGS/calls:fn_nop:entry" libnonexistent.so:f:entry; do
	"$DTRACE" -x substrate=process -Zn "pid*:$desc { }" \
		-c "$PROGS/calls counts once 1" 2>&1 | grep 'cannot trace'
done
