"$DTRACE" -q -s "$CASE"
"$DTRACE" -x oformat=json -s "$CASE" 2>err | grep -o '"value":{.*}' | cut -d} -f1
