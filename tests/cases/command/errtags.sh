"$DTRACE" -e -s "$CASE" 2>err
echo $?
sed "s,/.*/,," err | head -n 3 | cut -c 1-46
"$DTRACE" -x errtags=off -e -s "$CASE" 2>&1 | grep -o "\[D_[A-Z_]*\]"
echo end
