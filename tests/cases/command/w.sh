"$DTRACE" -q -w -n 'BEGIN { system("echo ran"); exit(0); }'
