"$DTRACE" --help >out
echo $?
for o in n P m f i s e l v q F c p o x X C D I U H b L w Z V S; do
	grep -Eq -e "(^|[^a-zA-Z0-9])-[a-zA-Z]*$o" out || echo "no -$o"
done
grep -Ec -- "--dump" out
# the forms of command lines, above the list, have every flag that is a word
sed '/^$/,$d' out >forms
sed -n 's/^	\(--[a-z]*\) .*/\1/p' out | while read -r o; do
	grep -Eq -e "$o([^a-z]|$)" forms || echo "no form has $o"
done
