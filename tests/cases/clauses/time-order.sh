"$DTRACE" -q -x bufsize=8m -c "$PROGS/burst 2 2000" -s "$CASE" >out
grep -v "^$" out >lines
[ "$(wc -l <lines)" = 4000 ] || echo "lines: $(wc -l <lines)"
sort -n -c lines && echo sorted
