all='proc sched io ip tcp udp lockstat vminfo sysinfo sysevent vfs nfsv3 nfsv4'
compare() {
	"$DTRACE" -l "$@" 2> names.err | sed 1d > names
	"$DTRACE" -lv "$@" 2> compiled.err | grep '^ *[0-9]' > compiled
	diff names compiled && diff names.err compiled.err && echo "same: $*"
}
set --
for prov in $all; do
	set -- "$@" -P $prov
done
compare "$@"
# several libraries at once
[ $(wc -l < names) -gt 100 ] && echo many
# one that uses others, in another order
compare -P tcp -P proc -P io
compare -n 'io:::start,:::send'
# one that is compiled for its arguments, others that are not
compare -n 'vfs:::,tcp:::send/args[2]->ip_plength/{},udp:::'
