"$DTRACE" -n 'usdtapp$target:::nosuch' -c "$PROGS/usdtapp 0" 2>&1 |
    grep -v '^ '
"$DTRACE" -n 'other$target:::start' -c "$PROGS/usdtapp 0" 2>&1
"$DTRACE" -n 'usdtapp$target:::start' -c "$PROGS/known" 2>&1
"$DTRACE" -n 'usdtapp4194305:::start' 2>&1
"$DTRACE" -n 'nosuchprovider*:::start' 2>&1
"$DTRACE" -Zqn 'nosuchprovider*:::start { } BEGIN { exit(0); }'
"$DTRACE" -Zqn 'other$target:::start { }' -c "$PROGS/usdtapp 0"
