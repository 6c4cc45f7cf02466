"$DTRACE" -q -s "$CASE" >out &
until grep -qs ready out; do sleep 0.05; done
kill $!
wait $!
cat out
"$DTRACE" -q -x oformat=json -s "$CASE" >json &
until grep -qs ready json; do sleep 0.05; done
kill $!
wait $!
grep -c '^$' json || true
