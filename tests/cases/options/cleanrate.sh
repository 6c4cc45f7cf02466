for rate in 50hz 60s; do
	"$DTRACE" -q -x switchrate=60s -x aggrate=60s -x statusrate=10s \
	    -x cleanrate=$rate -s "$CASE" $$ >out &
	pid=$!
	touch out
	until grep -qs ready out; do sleep 0.05; done
	"$PROGS/burst" 1 2
	if [ $rate = 50hz ]; then
		until grep -qs committed out; do sleep 0.05; done
	else
		sleep 1
	fi
	echo "$rate: $(grep -c committed out)"
	kill $pid
	wait $pid
done
