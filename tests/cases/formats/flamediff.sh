# twice as long a run
"$DTRACE" -q --record=old.dtr -n 'BEGIN { @cpu["a", "b"] = sum(21); @cpu["a", "c"] = sum(20);
	@cpu["a", "d"] = sum(39); @cpu["gone", "x"] = sum(20);
	@cpu["same", "s"] = sum(100); exit(0); }' >/dev/null
"$DTRACE" -q --record=new.dtr -s "$CASE" >/dev/null
"$DTRACE" -r old.dtr -x oformat=folded >old.folded
"$DTRACE" -r new.dtr -x oformat=flame -x flamediff=old.dtr -o page.svg
"$DTRACE" -r new.dtr -x oformat=flame -x flamediff=old.dtr -o page.html
"$DTRACE" -r new.dtr -x oformat=flame -x flamediff=old.folded -o other.html
cmp page.html other.html
# not only of a replay
"$DTRACE" -q -x oformat=flame -x flamediff=old.dtr -o live.html -s "$CASE"
cmp page.html live.html
# through a pipe
cat old.folded | "$DTRACE" -r new.dtr -x oformat=flame -x flamediff=/proc/self/fd/0 -o pipe.html
cmp page.html pipe.html
python3 -c '
import re, xml.etree.ElementTree

SVG = "{http://www.w3.org/2000/svg}"
for e in xml.etree.ElementTree.parse("page.svg").iter():
    if "data-n" in e.attrib:
        print(e.get("class"), e.get("data-n"), e.get("x"), e.get("width"))
        print("   ", e.get("aria-label"))
        assert e.find(SVG + "title").text == e.get("aria-label")
    elif e.get("class") in ("flame", "legend"):
        print(e.get("aria-label", e.text))
page = open("page.html", encoding="utf-8").read()
print(re.findall("class=\"(f [a-z0-9]+)\"", page))
print(re.findall("<p class=\"legend\">(.*)</p>", page))
style = re.search("<style>(.*?)</style>", page, re.S)[1]
for name in "more1 more2 more3 less1 less2 less3 same".split():
    rgb = re.search(rf"\.{name} rect {{ fill: #(..)(..)(..)", style).groups()
    red, green, blue = (int(x, 16) for x in rgb)
    assert name == "same" or (red > blue) == name.startswith("more"), name
'
# a script with several aggregations, lines of another one, and what is no stack
printf '%s\n' '@one;k 3' '@two;k 1' '@three;k 1' 'no value' '@one;k -3' 'k 99999999999999999999' '' >lines
"$DTRACE" -q -x oformat=flame -x flamediff=lines -o two.html \
    -n 'BEGIN { @one["k"] = sum(1); @two["other"] = sum(1); exit(0); }'
grep -o 'role="tree" aria-label="[^"]*"' two.html
"$DTRACE" -r new.dtr -x oformat=flame -x flamediff=none -o x.html
"$DTRACE" -r new.dtr -x oformat=csv -x flamediff=lines
head -c 100 old.dtr >cut.dtr
"$DTRACE" -r new.dtr -x oformat=flame -x flamediff=cut.dtr -o x.html
echo $?
