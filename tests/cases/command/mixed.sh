"$DTRACE" -q -n 'int x; BEGIN { printf("first %d\n", ++x); }' -s "$CASE" \
    -n 'BEGIN { printf("third %d\n", ++x); }' -s "$CASE" \
    -P 'dtrace /x == 4/ { printf("fifth %s\n", probename); x++; exit(7); }'
echo $?
"$DTRACE" -P dtrace -n 'BEGIN { exit(0); }' 2>/dev/null | grep -c "BEGIN $"
