"$DTRACE" -q -c "$PROGS/known seq:1" -s "$CASE" >out
awk '
NR == 1 && $0 != "" { bad = 1 }
NF && !/^              [^ `]*`[^ ]+(\+0x[0-9a-f]+)?$/ && !/^              0x[0-9a-f]+$/ { bad = 1 }
NF { n++ }
END { print (bad || n < 1 || n > 2) ? "bad" : "good" }' out || cat out
