cat >ask.sh <<'END'
"$PROGS/known" seq:3
port=
while [ -z "$port" ]; do
	port=$(sed -n 's,.*served at http://127.0.0.1:\([0-9]*\)/metrics.*,\1,p' err)
done
exec 3<>"/dev/tcp/127.0.0.1/$port"
printf 'GET /metrics HTTP/1.0\r\n\r\n' >&3
sed 's/\r//; /^Date:/d' <&3
END
ask() {
	"$DTRACE" -q "$@" -s "$CASE" -c 'bash ask.sh' 2>err
	sed 's,:[0-9]*/metrics,:PORT/metrics,' err
}
ask -x listen=:0 -o last
cat last
ask -x listen=localhost:0 -x substrate=process -x oformat=prometheus | grep calls
"$DTRACE" -q -x listen=:65536 -s "$CASE" 2>&1
"$DTRACE" -q -x listen=:0 -x oformat=csv -s "$CASE" 2>&1
"$DTRACE" -q -x listen=:0 -n 'BEGIN { exit(0); }' 2>&1
echo "-- refused"
