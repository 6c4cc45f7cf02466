"$DTRACE" -q -x oformat=html -o page.html -s "$CASE"
"$DTRACE" -q -x oformat=html -s "$CASE" >stdout.html
python3 -c '
import html.parser, json, sys, time


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.scripts, self.frames, self.stack = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        a = dict(attrs)
        assert not any(k.startswith("on") or k in ("src", "href") for k in a)
        if tag == "script":
            self.scripts.append([a.get("id"), ""])
        if "data-n" in a:
            self.frames.append((a["data-n"], a["data-v"]))
        if tag not in ("meta", "input", "link", "br"):
            self.stack.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag

    def handle_data(self, data):
        if self.stack and self.stack[-1] == "script":
            self.scripts[-1][1] += data


for name in "page.html", "stdout.html":
    page = Page()
    page.feed(open(name, encoding="utf-8").read())
    page.close()
    assert page.stack == []
    assert [s[0] for s in page.scripts] == ["data", None, None], page.scripts
    assert "<" not in page.scripts[0][1]
    run = json.loads(page.scripts[0][1])
    assert run["began"] <= run["ended"] <= time.monotonic_ns()
    assert abs(run["wall"] + run["ended"] - time.time_ns()) < 60e9

print(page.frames[:2])
for m in run["messages"]:
    assert run["began"] <= m["time"] <= run["ended"]
    print(m["kind"], m["text"][:30])
print(run["messages_seen"], "messages")
for a in run["aggregations"]:
    print(a["name"], a["function"], a["kind"], a["thinned"],
          len(a["printings"]), a.get("timekey"))
    for p in a["printings"]:
        print("   ", p["omitted"], end="")
        for r in p["rows"]:
            if "timekey" in a:
                r["keys"][a["timekey"]["key"]] = "TIME"
            print("", r, end="")
        print()
r = run["records"]
print("records", r["seen"], r["step"])
for row in r["rows"]:
    assert run["began"] <= row[0] <= run["ended"]
    at = (row[0] - r["from"]) // r["width"]
    assert any(l["kind"] == "cpu" and l["id"] == row[1] and l["bins"][at]
               for l in r["lanes"])
    assert row[2] == int(r["rows"][-1][4])
    print(row[3:] if row[4] != str(row[2]) else "tid")
assert sum(sum(l["bins"]) for l in r["lanes"] if l["kind"] == "cpu") == 2
assert sum(sum(l["bins"]) for l in r["lanes"] if l["kind"] == "thread") == 2
'
