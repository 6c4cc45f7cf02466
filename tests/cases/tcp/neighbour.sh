# A namespace lasts as long as a process is in it.
host() {
	unshare -n sleep 100 &
	while [ "$(readlink /proc/$!/ns/net)" = "$(readlink /proc/$$/ns/net)" ] ||
	    [ "$(cat /proc/$!/comm)" != sleep ]; do
		sleep 0.02
	done
}
host; a=$!
host; b=$!
trap 'kill $a $b' EXIT
nsenter -t $a -n ip -batch - <<END
link add a0 type veth peer name b0 netns $b
addr add 198.18.5.1/24 dev a0
link set a0 up
END
nsenter -t $b -n ip link set b0 up
cat >connect <<END
cd /proc/sys/net/ipv4/neigh/a0
echo 100 >retrans_time_ms
# A asks until B has the address; B gets it while the SYN waits.
echo 300 >mcast_solicit
(: </dev/tcp/198.18.5.2/9) 2>/dev/null &
until ip neigh show 198.18.5.2 | grep -q INCOMPLETE; do
	sleep 0.1
done
nsenter -t $b -n ip addr add 198.18.5.2/24 dev b0
wait
echo 3 >mcast_solicit
(: </dev/tcp/198.18.5.3/9) 2>/dev/null &
until ip neigh show 198.18.5.3 | grep -q FAILED; do
	sleep 0.1
done
kill \$!
END
"$DTRACE" -q -s "$CASE" -c "nsenter -t $a -n bash connect"
