for name in cpu_id kmem_flags init_uts_ns; do
	"$DTRACE" -en "BEGIN { trace(\`$name); }" 2>&1 |
	    sed -n 's/.*did you mean `\([A-Za-z0-9_]*\).*/\1/p' |
	    while read -r near; do
		grep -i " t $near\$" /proc/kallsyms
	done
done
"$DTRACE" -en 'BEGIN { trace(`vfs_raed); }' 2>&1 |
    grep -o 'did you mean `[a-z_]*'
