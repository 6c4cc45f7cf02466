"$DTRACE" -c "$PROGS/known seq:1" -s "$CASE" 2>/dev/null >out
# 3 + 1 + 6 + 1 + 32 + 1 columns, then the 17 of a long.
sed -n 2p out | awk '{ print length($0), substr($0, 12, 32) == sprintf("%32s", "getpriority:entry") }'
