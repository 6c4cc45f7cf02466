cp "$PROGS/calls" calls && mkfifo go || exit 1
./calls c0 wait 7 <go >/dev/null &
exec 9>go
trap 'exec 9>&-; kill $! 2>/dev/null' EXIT
"$DTRACE" -qn '
	pid*:'"$PWD"'/calls:fn_nop:entry
	{
		@entries[probeprov] = count();
		@names[probeprov == strjoin("pid", lltostr(pid)),
		    strjoin(probemod, strjoin(":", strjoin(probefunc,
		    strjoin(":", probename))))] = count();
	}
	pid*:'"$PWD"'/calls:fn_nop:return { @returns[probeprov, pid] = count(); }
	pid*:'"$PWD"'/calls:fn_nop:4 { @offsets[pid] = count(); }
	pid*:'"$PWD"'/calls:fn_nop:entry /probeprov == "pid1"/ { @no = count(); }
	END
	{
		printa("entry %@d\n", @entries);
		printa("return %@d\n", @returns);
		printa("offset %@d\n", @offsets);
		printa("%d %s %@d\n", @names);
	}' -c "sh -c './calls c1 once 3; ./calls c2 once 5; echo >go; wait; sleep 0.5'"
