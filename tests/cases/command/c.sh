"$DTRACE" -q -c 'echo a b' -n 'END { printf("end\n"); }'
