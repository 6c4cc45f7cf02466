"$DTRACE" -l -P dtrace | awk '{ print $1, $2, $3, $4 }'
