for name in fsinfo:::remove fsinfo:::map fsinfo:::frlock fsinfo:::space \
    fsinfo:::readdir sdt:::interrupt-start sdt:::interrupt-complete \
    sdt:::callout-start sdt:::callout-end; do
	"$DTRACE" -ln "$name" | awk -v name="$name" \
	    'NR > 1 { print name, "is", $2, $NF }'
done
for provider in fsinfo io ip lockstat nfs nfsv4 proc sched sdt sysevent \
    sysinfo tcp udp vfs vminfo; do
	"$DTRACE" -ln "$provider:::" >all 2>/dev/null
	"$DTRACE" -ln "$provider:genunix::" 2>/dev/null | cmp - all &&
	    echo "$provider"
done
