count() { awk '/^[a-f]$/ { name = $1 } /^ +[^ ]/ { n[name]++ }
    END { print n["a"], n["b"], n["c"], n["d"], n["e"], n["f"] }'; }
"$DTRACE" -q -c "$PROGS/chain_fp 100" -s "$CASE" | count
"$DTRACE" -q -x ustackframes=7 -x jstackframes=9 -x jstackstrsize=1k -c "$PROGS/chain_fp 100" \
    -s "$CASE" | count
