path=$(ldd "$PROGS/calls" | sed -n 's/.*=> \(.*libc\.so\.6\) .*/\1/p')
for mod in libc.so.6 libc.so libc 'libc*' 'LM0`libc.so.6' "$path" \
    "$(readlink -f "$path")"; do
	"$DTRACE" -q -n 'pid$target:'"$mod"':fopen:entry
		{ printf("%s %s\n", probemod, probefunc); }' \
		-c "$PROGS/calls counts once 1"
done
for mod in a.out calls 'cal[l]s' "$(readlink -f "$PROGS/calls")" 'a.*'; do
	"$DTRACE" -q -n 'pid$target:'"$mod"':fn_nop:entry
		{ printf("%s %s\n", probemod, probefunc); }' \
		-c "$PROGS/calls counts once 1"
done
"$DTRACE" -q -n 'pid$target::fn_nop:entry { printf("%s\n", probemod); }' \
	-c "$PROGS/calls counts once 1"
