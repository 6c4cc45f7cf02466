"$DTRACE" -q -x stackindent=3 -c "$PROGS/known seq:1" -s "$CASE" |
    grep -q "^   [^ ]" && echo good
