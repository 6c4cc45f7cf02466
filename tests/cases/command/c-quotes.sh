"$DTRACE" -q -c "printf '%s|%s\\n' 'a b' \"c d\"" -n 'END { printf("end\n"); }'
