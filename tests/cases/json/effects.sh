"$DTRACE" -w -x oformat=json -s "$CASE" 2>/dev/null >all
grep -v '^{' all
cat all out.1 | grep '^{' | python3 "${CASE%/*}/../../json_check.py" |
    grep -e '"action"' -e values
wc -l <out.1
