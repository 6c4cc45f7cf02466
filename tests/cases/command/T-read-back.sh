# Types without attributes that only a compiler knows.
for type in qstr path list_head timespec64 rb_node iovec kobject module_kobject; do
	"$DTRACE" -T "struct $type" >declared.d
	echo "BEGIN { trace(sizeof (struct $type) == sizeof (\`struct $type)); exit(0); }" >>declared.d
	"$DTRACE" -qs declared.d
done
echo
{
	"$DTRACE" -T 'struct kobject'
	for member in name entry parent kset sd kref; do
		echo "BEGIN { trace(offsetof (struct kobject, $member) == offsetof (\`struct kobject, $member)); }"
	done
	echo "BEGIN { exit(0); }"
} >declared.d
"$DTRACE" -qs declared.d
echo
