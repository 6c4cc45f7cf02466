cp "$PROGS/calls32" bits32 && cp "$PROGS/calls" bits64 || exit 1
"$DTRACE" -qn 'pid*:'"$PWD"'/bits32:fn_sum:entry,
	pid*:'"$PWD"'/bits64:fn_args:entry
	{ printf("%s %d %d %d\n", probemod, arg0, arg1, arg2); }' \
	-c "sh -c './bits32; ./bits64 c once 1; ./bits32'"
