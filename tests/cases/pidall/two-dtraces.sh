cp "$PROGS/calls" calls && mkfifo go && exec 9<>go || exit 1
./calls counts wait 50 <go >/dev/null &
pid=$!
trap 'kill $pid 2>/dev/null; wait' EXIT
until [ "$(cat /proc/$pid/comm)" = calls ]; do sleep 0.05; done
"$DTRACE" -x substrate=process -qn 'pid$target:a.out:fn_endbr:entry,
	pid$target:a.out:fn_pushes:entry { @ = count(); }
	BEGIN { printf("traced\n"); }
	END { printa("inside %@d\n", @); }' -p $pid >inside &
inside=$!
until grep -q traced inside; do
	kill -0 $inside || exit 1
	sleep 0.05
done
"$DTRACE" -n 'pid*:'"$PWD"'/calls:fn_pushes:entry { }' 2>&1 |
    sed -n 's/^dtrace: line 1: .*entry: //p'
address=$(nm calls | sed -n 's/ T fn_pushes$//p')
"$DTRACE" -n 'pid*:'"$PWD"'/calls:-:'$address' { }' 2>&1 |
    sed -n 's/^dtrace: line 1: .*'$address': //p'
"$DTRACE" -qn 'pid*:'"$PWD"'/calls:fn_[enp]*:entry { @[probefunc] = count(); }
	END { printa("%s %@d\n", @); }' -c "sh -c 'echo >go
	while kill -0 $pid 2>/dev/null; do sleep 0.1; done'" &
wait $pid
echo "status $?"
wait
grep inside inside
