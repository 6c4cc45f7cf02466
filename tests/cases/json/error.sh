"$DTRACE" -x oformat=json -s "$CASE" 2>err | python3 "${CASE%/*}/../../json_check.py" |
    grep -v '"\(dtrace\|\)"$'
grep -v matched err || :
