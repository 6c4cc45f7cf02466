cp "$PROGS/later.so" later.so
"$DTRACE" -q -c "$PROGS/frames $PWD/later.so" -s "$CASE" 2>err | tr -d ' ' |
    awk -F '[`+]' 'NF > 1 { printf "%s ", $2; next } NF { print }'
sed '/stack leads into a file that is new to dtrace/d' err
