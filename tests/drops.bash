# The rows of the file `out` and the aggregation drops of the file `err`: each
# firing adds a key or counts a drop.
count_rows_and_drops() {
	rows=$(awk 'NF == 2 { n++ } END { print n + 0 }' out)
	lost=$(sed -n 's/^dtrace: \([0-9]*\) aggregation drops* on CPU [0-9]*; .*$/\1/p' err |
	    awk '{ n += $1 } END { print n + 0 }')
	[ "$lost" -gt 0 ] || echo "no drops"
	echo "sum $((rows + lost))"
}
