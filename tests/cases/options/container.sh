. "$CASES/../hierarchy.bash"
in_hierarchy <<'END' | sed "s/nosuch[0-9]*/NOSUCH/; s/shop[0-9]*/SHOP/; s, below /.*, below MOUNT,"
# 64 digits that no other container has
id=$(printf '%064x' $$ | rev)
crio=f$(printf '%063x' $$ | rev)
mkdir -p "$top/docker-$id.scope" "$top/libpod-conmon-$id.scope" \
    "$top/kubepods/pod1/$crio" "$top/machine-web\\x2d$$.scope" \
    "$top/lxc.payload.lxc$$" "$top/lxc/old$$" \
    "$top/systemd-nspawn@nspawn$$.service"
trace() {
	echo "-- $3"
	"$DTRACE" -q -x container="$1" -n 'syscall::getpriority:entry
	    /pid == $target && arg0 == 0x7001/ { printf("call\n"); }' \
	    -c "$JOIN '$top/$2'" 2>&1
}
begin() {
	echo "$1" | cut -c1-20
}
trace $id docker-$id.scope "docker's, by its id"
mount -t tmpfs none /var/lib
docker=/var/lib/docker/containers
mkdir -p $docker/$id
echo '{"ID":"'$id'","Name":"/'shop$$'","Driver":"overlay2"}' \
    >$docker/$id/config.v2.json
trace shop$$ docker-$id.scope "docker's, by its name"
cp -r $docker/$id $docker/$crio
trace shop$$ docker-$id.scope "a name of two"
trace $(begin $id) docker-$id.scope "by the beginning of its id"
trace $(begin $id) kubepods/pod1/$crio "another"
trace $(begin $crio) kubepods/pod1/$crio "Kubernetes'"
trace web-$$ "machine-web\\x2d$$.scope" "a machine, by its name"
trace lxc$$ lxc.payload.lxc$$ "LXC's"
trace old$$ lxc/old$$ "old LXC's"
trace nspawn$$ systemd-nspawn@nspawn$$.service "nspawn's"
trace nosuch$$ lxc/old$$ "none"
"$DTRACE" --container nspawn$$ -qn 'BEGIN { printf("--container\n"); exit(0); }'
"$DTRACE" --container x --cgroup / -qn BEGIN 2>&1
END
