"$DTRACE" -e -s "$CASE" 2>&1 | sed -n -e "/ hint: /p" -e "s/.*members.d:/members.d:/p"
