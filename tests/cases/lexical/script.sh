{ echo "#!$DTRACE -qs"; cat "$CASE"; } >script.d
chmod +x script.d
./script.d 12 abc
