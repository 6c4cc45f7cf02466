"$DTRACE" -qn 'pid$target:a.out:fn_nopp:entry' \
	-c "$PROGS/calls counts once 1" 2>&1 | sed 's/pid[0-9][0-9]*/pidN/; s/process [0-9]*/process N/'
cp "$PROGS/calls" bare
strip bare
"$DTRACE" -qn 'pid$target:a.out:fn_nop:entry' -c './bare counts once 1' 2>&1 |
	sed 's/pid[0-9][0-9]*/pidN/g; s/process [0-9]*/process N/'
