cat >run <<END
"$PROGS/helped" 100000000 call &
until grep -qs gamma:30 out; do sleep 0.05; done
kill \$!
END
"$DTRACE" -q -x aggrate=50ms -x switchrate=50ms -o out -c "sh run" -s "$CASE" 2>err
grep -o -e 'gamma:30' -e '\[ .*\]' out | sort -u
cat err
