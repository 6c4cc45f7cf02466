"$DTRACE" -q -c "$PROGS/known exit:3" -n 'END { printf("end\n"); }'
echo $?
