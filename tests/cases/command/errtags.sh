"$DTRACE" -x errtags -e -s "$CASE" 2>err
echo $?
sed "s,/.*/,," err | head -n 3 | cut -c 1-46
