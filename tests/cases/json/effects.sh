"$DTRACE" -w -x oformat=json -s "$CASE" 2>err >all
grep -v '^dtrace:' err
grep -c -v '^{' all
cat all out.1 | grep '^{' | python3 "${CASE%/*}/../../json_check.py" |
    grep -e '"action"' -e values
grep -c -v '"event":"end"' out.1
