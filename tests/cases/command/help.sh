"$DTRACE" --help >out
echo $?
for o in n P m f i s e l v q F c p o x X C D I U H b L w Z V S; do
	grep -Eq -e "(^|[^a-zA-Z0-9])-[a-zA-Z]*$o" out || echo "no -$o"
done
grep -Ec -- "--dump" out
