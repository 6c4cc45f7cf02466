# A program's own probes are known before its first instruction.
"$DTRACE" -l -n 'usdtapp$target:::' -c "$PROGS/usdtapp 0" |
    awk 'NR > 1 { print substr($2, 1, 7), $3, $4, $5 }' | sort
"$DTRACE" -lv -x evaltime=exec -n 'usdtapp$target:::request-done' \
    -c "$PROGS/usdtapp 0" | sed 1,2d
"$DTRACE" -lv -x evaltime=exec -n 'sdtapp$target:::forms' \
    -c "$PROGS/sdtapp 0" | sed 1,2d
