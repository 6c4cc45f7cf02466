first='1s/^[^]]*] //p; s/^ *hint: /hint: /p'
"$DTRACE" -e -s "$CASE" 2>&1 | sed -n "$first"
for member in curpsinfo-\>pr_contract \
    curlwpsinfo-\>pr_{wchan,stype,syscall}; do
	"$DTRACE" -e -n "BEGIN { trace($member); }" 2>&1 | sed -n "$first"
done
"$DTRACE" -e -n 'tcp:::send { trace(args[3]->tcps_iss); }' 2>&1 |
    sed -n "$first"
for type in nfsv3opinfo_t:noi_{cred,curpath} nfsv4opinfo_t:noi_{cred,curpath} \
    nfsv4cbinfo_t:nci_curpath; do
	"$DTRACE" -e -n "BEGIN {
		trace(xlate <${type%:*}> ((uint32_t)1).${type#*:}); }" 2>&1 |
	    sed -n "$first"
done
for member in cpu_chip cpu_lgrp cpu_info; do
	"$DTRACE" -e -n "io:::,sched::: {
		trace(xlate <cpuinfo_t> (1).$member); }" 2>&1 | sed -n "$first"
done
