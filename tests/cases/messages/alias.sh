"$DTRACE" -e -s "$CASE" 2>&1 | sed -n -e "/ hint: /p" -e "s|.*alias.d:|alias.d:|p"
"$DTRACE" -ln fsinfo:::lookup 2>&1 >out
exit 0
