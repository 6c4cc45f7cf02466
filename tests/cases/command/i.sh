id=$("$DTRACE" -l -n syscall::getpriority:entry | awk 'NR == 2 { print $1 }')
"$DTRACE" -l -i "$id" | awk 'NR == 2 { print $2, $4, $5 }'
"$DTRACE" -q -i 1'{ printf("one\n"); exit(0); }'
