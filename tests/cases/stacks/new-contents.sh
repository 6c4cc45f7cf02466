cat >run <<END
put() {
	cat "$PROGS/\$1" >newcontents
	truncate -s 100000 newcontents
	touch -d "2020-01-01 00:00:00.\$((i += 1))" newcontents
	chmod +x newcontents
}
run() {
	./newcontents 3
	n=\$((n + 1))
	until [ "\$(grep -c done out)" = \$n ]; do sleep 0.02; done
}
for prog in chain chain_fp chain; do
	put \$prog
	run
	run
done
put chain_fp
kill -STOP \$PPID
./newcontents 3
put chain
kill -CONT \$PPID
END
"$DTRACE" -q -x switchrate=20ms -o out -c "bash run" -s "$CASE"
awk 'BEGIN { cut = 0 } /done/ { print n, cut; n = cut = 0 } /[`x]/ { n++ } /\[cut\]/ { cut = $1 }' out |
    uniq -c | tr -s ' '
