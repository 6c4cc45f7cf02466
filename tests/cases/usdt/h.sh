"$DTRACE" -C -h -s "$CASE" -o my-probes.h
echo $?
sed -n '1,3p' my-probes.h | sed 's/-h; .*\//-h; /'
sed -n '/^extern "C" {$/,$p' my-probes.h
"$DTRACE" -o second.h -h -Cs "$CASE"
diff my-probes.h second.h | grep -c '^>'
cp "$CASE" ./noted.d
mkdir there
cp "$CASE" there/noted.probes
(cd there && "$DTRACE" -C -h -s noted.probes && ls)
ls
