for try in nosuch$$ "" 0 99999999999 "12 "; do
	"$DTRACE" -p "$try" -s "$CASE" 2>&1 | sed "s/nosuch$$/NAME/"
done
