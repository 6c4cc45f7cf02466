"$DTRACE" -q -c "sh -c 'sleep 0.1; $PROGS/helped 1000 call'" -s "$CASE" 2>err |
    grep -o -e 'gamma:30' -e '\[.*\]' | sort -u
cat err
