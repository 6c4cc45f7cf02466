"$DTRACE" -qn 'pid*:'"$PROGS"'/unprobed:half: { @[probename] = count(); }' \
	-c "$PROGS/unprobed"
"$DTRACE" -qn 'pid*:'"$PROGS"'/unprobed:whole:entry { }' -c "$PROGS/unprobed" \
	2>&1 >/dev/null | sed -n 's/^dtrace: line 1: .*entry: //p' >&2
