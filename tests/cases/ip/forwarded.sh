# A namespace lasts as long as a process is in it.
host() {
	unshare -n sleep 100 &
	while [ "$(readlink /proc/$!/ns/net)" = "$(readlink /proc/$$/ns/net)" ] ||
	    [ "$(cat /proc/$!/comm)" != sleep ]; do
		sleep 0.02
	done
}
on() {
	nsenter -t "$1" -n "${@:2}"
}
host; a=$!
host; b=$!
host; c=$!
host; r=$!
trap 'kill $a $b $c $r' EXIT
on $r ip -batch - <<END
link add br0 type bridge mcast_snooping 0
link add ra type veth peer name a0 netns $a
link add rc type veth peer name c0 netns $c
link add rb type veth peer name b0 netns $b
link set ra master br0
link set rc master br0
addr add 198.18.1.1/24 dev br0
addr add 198.18.2.1/24 dev rb
link set br0 up
link set ra up
link set rb up
link set rc up
END
on $r sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward'
net() {
	on "$1" ip -batch - <<END
addr add $3 dev $2
link set $2 up
route add default via $4
END
}
net $a a0 198.18.1.2/24 198.18.1.1
net $b b0 198.18.2.2/24 198.18.2.1
net $c c0 198.18.1.3/24 198.18.1.1
# A kernel leaves out what is above its limits (icmp(7)): none here.
for host in $b $c; do
	on $host sh -c 'echo 0 >/proc/sys/net/ipv4/icmp_ratemask'
done
cat >send <<'END'
for to in 2.2 2.2 2.2 1.3 1.3; do
	echo hello >/dev/udp/198.18.$to/9
done
(: </dev/tcp/198.18.2.2/9) 2>/dev/null
sleep 0.3
END
"$DTRACE" -q -s "$CASE" -c "nsenter -t $a -n bash send" || exit
for host in $b $c; do
	on $host awk '$1 == "Icmp:" && !n { n = split($0, name) }
		$1 == "Icmp:" { split($0, value) }
		END { for (i = 2; i <= n; i++)
			if (value[i] != 0) printf "%s %d\n", name[i], value[i] }
	    ' /proc/net/snmp
done
