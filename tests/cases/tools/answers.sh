"$DTRACE" run sleeps python3 -c "python3 -I -S -c '
import time
for n in range(100): time.sleep(0.0006)'" >out
awk '$1 == "python3" && $3 == 100 && $4 >= 60 { print "sleeps add up" }' out

cat >victim <<'END'
/bin/sleep 1234 &
until [ "$(cat /proc/$!/comm)" = sleep ]; do :; done
kill -9 $!
wait
END
"$DTRACE" run shortlived 100000 -c "bash victim" >out 2>/dev/null
grep -c '  SIGKILL  /bin/sleep 1234$' out

"$DTRACE" run stats ls -c "ls -l /etc/hostname" >out
awk '$1 == "ls" && NF == 5 { named++ } $1 == "ls" && NF < 5 { unnamed++ }
    END { print (named > 0), unnamed + 0 }' out

"$DTRACE" run callerrors rmdir -c "rmdir /nonexistent" 2>/dev/null |
    awk '$2 == "rmdir" { print $3, $4 }'
"$DTRACE" run kills bash -c "bash victim" 2>/dev/null |
    awk '$1 == "bash" { print $4, $5 }'

# the pipes of a program are one row
"$DTRACE" run fileio cat -c "bash -c 'echo a | cat; echo bc | cat'" |
    awk '$1 ~ /^pipe/ { print $1, $2, $3, $5 }'
