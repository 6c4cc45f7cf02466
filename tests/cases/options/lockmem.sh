for size in 1m 2m; do
	"$DTRACE" -qw -x lockmem=$size -s "$CASE"
done
"$DTRACE" -qw -x lockmem=much -s "$CASE" 2>err || cut -c1-60 err
