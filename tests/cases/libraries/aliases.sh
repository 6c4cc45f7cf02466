for name in fsinfo:::remove fsinfo:::map fsinfo:::frlock fsinfo:::space \
    fsinfo:::readdir sdt:::interrupt-start sdt:::interrupt-complete \
    sdt:::callout-start sdt:::callout-end; do
	"$DTRACE" -ln "$name" | awk -v name="$name" \
	    'NR > 1 { print name, "is", $2, $NF }'
done
# where there are no probes, the messages agree: they say why
for provider in fsinfo io ip lockstat nfsv3 nfsv4 proc sched sdt sysevent \
    sysinfo tcp udp vfs vminfo; do
	"$DTRACE" -ln "$provider:::" >all 2>&1
	"$DTRACE" -ln "$provider:genunix::" 2>&1 | sed 's/genunix//' |
	    cmp - all && echo "$provider"
done
