ONE=1 TWO=2 THREE=3 "$DTRACE" -qw -x setenv=ONE=eins -x unsetenv=THREE \
    -x setenv=EMPTY= -s "$CASE" \
    -c 'sh -c "echo command: $ONE $TWO $THREE [${EMPTY-unset}]"' | sort
for bad in setenv=ONE setenv==1 unsetenv=ONE=1 unsetenv=; do
	"$DTRACE" -q -x $bad -s "$CASE" 2>err
	echo "$? $(cat err)"
done
