# the command waits for the file, which is written before tracing ends
cat >wait.sh <<'W'
for i in $(seq 200); do
	grep -q 'dtrace_low_count 3' live.prom && { cat live.prom; exit 0; }
	sleep 0.1
done
echo "the file was not written"
W
"$DTRACE" -q -x oformat=prometheus -x aggrefresh=50ms -o live.prom \
    -s "$CASE" -c 'sh wait.sh' 0
ls
"$DTRACE" -q -x oformat=prometheus -s "$CASE" -c true 0 | cmp - live.prom
"$DTRACE" -q -x oformat=prometheus -s "$CASE" -c true 0 >/dev/full || echo full
mkfifo pipe
cat pipe >piped.prom &
"$DTRACE" -q -x oformat=prometheus -o pipe -s "$CASE" -c true 0
wait
cmp piped.prom live.prom && test -p pipe && echo "a pipe stays"
