cat >run <<END
cp "$PROGS/chain" newdepth
kill -STOP \$PPID
./newdepth 3
kill -CONT \$PPID
until grep -qs caller out && grep -qs depth out; do
	./newdepth 3
	sleep 0.05
done
END
"$DTRACE" -q -x switchrate=20ms -o out -c "sh run" -s "$CASE" 2>err
{ cat out; sed 's/.*): //; s/ in action .*//' err; } | sort -u
