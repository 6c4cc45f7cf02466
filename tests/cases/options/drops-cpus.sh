set -- $(taskset -pc $$ | sed 's/.*: //; s/[-,]/ /g')
cat >both <<END
taskset -c $1 $PROGS/known seq:3000
taskset -c ${!#} $PROGS/known seq:3000
END
try() {
	"$DTRACE" -q -x "$1" -s "$CASE" -c "sh both" 2>&1
}
said=$(try dynvarsize=4k)
enough=$(echo "$said" |
    sed -n 's/.* drops; -x \(dynvarsize=[0-9]*[kmg]*\) would have been enough$/\1/p' |
    tail -1) # a slow run tells more than once; the last is for all
test -n "$enough" || echo "$said"
try "$enough" | grep .
echo tried
