# Lines that say how many more, and those of one fault each.
sum() {
    awk '/error on enabled/ { n++; lines++ }
        match($0, /\([0-9]+ more\)$/) {
            n += substr($0, RSTART + 1, RLENGTH - 7) - 1
        }
        END { print "told", n, lines < 50 ? "in few lines" : "in many" }'
}
"$DTRACE" -q -x bufsize=4m -c "$PROGS/known seq:5000" -s "$CASE" 2>&1 >out | sum
cat out
"$DTRACE" -q -x bufsize=4m -x allfaults -c "$PROGS/known seq:500" -s "$CASE" 2>&1 >out | sum
cat out
