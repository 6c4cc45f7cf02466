cp "$PROGS/calls" listed && mkfifo go || exit 1
./listed c0 wait 1 <go >/dev/null &
./listed c1 wait 1 <go >/dev/null &
exec 9>go
trap 'exec 9>&-' EXIT
sleep 0.3
"$DTRACE" -ln 'pid*:listed:fn_nop:*' -n 'pid*:listed:fn_[ls]*:return' |
    awk 'NR > 1 { print $2, $3, $4, $5 }'
exec 9>&-
wait
