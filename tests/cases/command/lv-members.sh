"$DTRACE" -lvn tcp:::send | sed -n '/Members of csinfo_t/,/^$/p;/Members of tcpinfo_t/,/^$/p;/tcps_iss/p'
"$DTRACE" -lvP tcp >out
grep -c 'args.*tcpsinfo_t' out
grep -c 'Members of tcpsinfo_t' out
sed -n '/Members of/,$p' out | grep -c 'args\['
"$DTRACE" -lvn syscall::read:entry | grep -c 'Members'
true
