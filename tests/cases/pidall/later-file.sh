mkdir a b && cp "$PROGS/calls" a/laterapp && cp "$PROGS/calls" b/laterapp &&
    mkfifo go && exec 9<>go || exit 1
cat >run <<'END'
for dir in a b; do
	$dir/laterapp $dir/first wait 100 <go >/dev/null &
	sleep 1.5
	$dir/laterapp $dir/second once 4
	kill $!
	wait
done
END
"$DTRACE" -qZn 'pid*:laterapp:fn_nop:entry { @[probeprov] = count(); }
	END { printa("%@d\n", @); }' -c "sh ./run"
