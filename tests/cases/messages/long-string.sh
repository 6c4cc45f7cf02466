printf "BEGIN { trace(\"%0300000d\"); }\n" 0 >long.d
"$DTRACE" -e -s long.d 2>&1 | grep -o 'D_.*'
