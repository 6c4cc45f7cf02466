"$DTRACE" -x quiet -s "$CASE"
echo
"$DTRACE" -x quiet= -s "$CASE" 2>&1
for option in bufsize bufpolicy nspec switchrate cpppath define; do
	"$DTRACE" -x $option -s "$CASE" 2>err
	echo "$? $(cut -d: -f3- err)"
done
"$DTRACE" -s "$CASE" -x 2>err
echo "$? $(head -n 1 err)"
