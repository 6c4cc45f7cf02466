address=$(nm "$PROGS/calls_pie" | sed -n 's/ T fn_nop$//p')
strip -s -o stripped "$PROGS/calls_pie" || exit 1
"$DTRACE" -n 'pid*:'"$PWD"'/stripped:fn_nop:entry { }' 2>&1 |
    sed -n 's/^dtrace: line 1: .*entry: //p' | sed "s:$PWD:DIR:g"
"$DTRACE" -qn 'pid*:'"$PWD"'/stripped:-:'$address' { @[arg0 >= 0] = count(); }
	END { printa("%@d\n", @); }' \
	-c "sh -c './stripped c once 3; ./stripped d once 4'"
