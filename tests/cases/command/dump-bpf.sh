"$DTRACE" -q --dump=bpf -s "$CASE" >out 2>&1
grep -c "x = pid" out
grep -Ec "^ *[0-9]+:" out
