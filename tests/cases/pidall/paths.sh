mkdir a b && cp "$PROGS/calls" a/app && cp "$PROGS/calls" b/app &&
    ln -s a/app link || exit 1
"$DTRACE" -qn 'pid*:'"$PWD"'/a/app:fn_nop:entry { @a[probemod] = count(); }
	pid*:'"$PWD"'/link:fn_nop:entry { @link[probemod] = count(); }
	pid*:'"$PWD"'/b/app:fn_nop:entry { @b[probemod] = count(); }
	END { printa("%s %@d %@d %@d\n", @a, @link, @b); }' \
	-c "sh -c 'a/app c once 3; b/app d once 4; ./link e once 10'"
