echo before >out
"$DTRACE" -q -o out -n 'BEGIN { printf("x\n"); exit(0); }'
cat out
