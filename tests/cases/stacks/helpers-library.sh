cc -O2 -fno-omit-frame-pointer "${CASE%/*}/../../prog/helped.c" -o program
echo 'int brings(void); int brings(void) { return 1; }' >brings.c
cc -shared -fPIC brings.c "$PROGS/helped.o" -o brings.so
"$DTRACE" -q -c "./program 1000 call ./brings.so" -s "$CASE" 2>err |
    grep -o -e 'gamma:30' -e '\[.*\]' | sort -u
cat err
