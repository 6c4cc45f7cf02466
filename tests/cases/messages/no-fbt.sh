if "$DTRACE" -en 'fbt::vfs_read:entry { }' 2>errors; then
	echo "this kernel has fbt" >&2
	exit 77
fi
sed -n 's/^ *hint: //p' errors
