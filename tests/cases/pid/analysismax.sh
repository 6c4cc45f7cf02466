set -e
for max in 2k 200m; do
	"$DTRACE" -q -x analysismax=$max -s "$CASE" -c $PROGS/calls 2>err >out ||
		sed -n 's/.*\(the code of \).*\/\(calls .*\)/\1\2/p' err
	grep traced out || :
done
