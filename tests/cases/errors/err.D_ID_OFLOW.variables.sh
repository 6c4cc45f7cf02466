seq 65000 | sed "s/.*/int v&;/" >many.d
echo "BEGIN { trace(v65000); }" >>many.d
"$DTRACE" -e -s many.d
