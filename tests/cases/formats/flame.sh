"$DTRACE" -q -x oformat=flame -o page.svg -s "$CASE"
"$DTRACE" -q -x oformat=flame -o page.html -s "$CASE" 2>/dev/null
# the second page takes the place of the first
"$DTRACE" -q -x oformat=flame -o page.html -s "$CASE" 2>/dev/null
"$DTRACE" -q -x oformat=flame -s "$CASE" 2>/dev/null | cmp - page.html
ls
python3 -c '
import html.parser, xml.etree.ElementTree

SVG = "{http://www.w3.org/2000/svg}"
svg, script = [], []
for e in xml.etree.ElementTree.parse("page.svg").iter():
    if e.tag == SVG + "script":
        script.append(e.text)
    if "data-n" in e.attrib:
        svg.append((e.get("data-n"), e.get("data-v"), e.get("data-p"),
                    e.get("x"), e.get("width")))
        assert e.find(SVG + "title").text == e.get("aria-label")
        print(svg[-1], e.get("aria-label"))
    elif e.get("class") in ("flame", "title"):
        print(e.get("class"), e.get("aria-label", e.text))


class Page(html.parser.HTMLParser):
    frames = []
    tags = set()
    tag = script = ""

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.tag, a = tag, dict(attrs)
        assert not any(k.startswith("on") or k in ("src", "href") for k in a)
        if "data-n" in a:
            self.frames.append((a["data-n"], a["data-v"], a["data-p"], a["x"],
                                a["width"]))

    def handle_data(self, data):
        if self.tag == "script":
            self.script += data


page = Page()
page.feed(open("page.html", encoding="utf-8").read())
assert page.frames == svg
assert len(script) == 1 and page.script.startswith(script[0])
assert "<" not in script[0] and "&" not in script[0]
print(sorted(page.tags))
'
