cp "$PROGS/usdtapp" jumpedapp || exit 1
./jumpedapp 100000 1000 quiet &
pid=$!
trap 'kill $pid 2>/dev/null; wait' EXIT
until [ "$(cat /proc/$pid/comm)" = jumpedapp ]; do sleep 0.05; done
: >inside
"$DTRACE" -x substrate=process -qn 'usdtapp$target:::request-start,
	usdtapp$target:::swapped { @ = count(); }
	BEGIN { printf("traced\n"); }' -p $pid >>inside 2>&1 &
inside=$!
until grep -q traced inside; do
	kill -0 $inside || exit 1
	sleep 0.05
done
"$DTRACE" -n "usdtapp*:$PWD/jumpedapp::swapped"' { }' 2>&1 |
    sed -n 's/^dtrace: cannot trace: //p'
"$DTRACE" -qn "usdtapp*:$PWD/jumpedapp::request-*"' { @[probename] = count(); }
	usdtapp*:'"$PWD"'/jumpedapp::request-done { n++; }
	usdtapp*:'"$PWD"'/jumpedapp::request-done /n == 100/ { exit(0); }
	END { printa("%s\n", @); }'
kill $pid
wait $pid
echo "status $?"
