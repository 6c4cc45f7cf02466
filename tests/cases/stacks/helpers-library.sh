cc -O2 -fno-omit-frame-pointer "${CASE%/*}/../../prog/helped.c" -o program
echo 'int brings(void); int brings(void) { return 1; }' >brings.c
cc -shared -fPIC brings.c "$PROGS/helped.o" -o brings.so
cat >run <<END
./program 100000000 call ./brings.so &
until grep -qs gamma:30 out; do sleep 0.05; done
kill \$!
END
"$DTRACE" -q -x aggrate=50ms -x switchrate=50ms -o out -c "sh run" -s "$CASE" 2>err
grep -o -e 'gamma:30' -e '\[ .*\]' out | sort -u
cat err
