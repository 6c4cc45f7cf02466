for value in on yes true set enable enabled YES True 1 7 off no false unset \
    disable disabled NO 0; do
	"$DTRACE" -x quiet=$value -n 'BEGIN { exit(0); }' >/dev/null 2>err
	echo "$value: $? $(wc -l <err)"
done
for value in yes ENABLE true 2 no; do
	"$DTRACE" -q -x flowindent=$value -n '
	    BEGIN { setopt("quiet", "'$value'"); exit(0); }' >out 2>err
	echo "$value: $? $(cat err)"
done
