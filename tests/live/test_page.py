#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Pages of oformat=html in a real browser, and their bounds.

Chromium shows a page without a network.  A script that stands behind the
page's own clicks, types and reads what the page then says.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile

from live import dtrace, prog, start

MANY = r"""
syscall::getpriority:entry /pid == $target && arg0 == 0x7001/
{
	printf("%d number %d", tid, self->n++);
	@keys[self->n] = count();
}
"""
PAGE = r"""
syscall::getpriority:entry /pid == $target && arg0 == 0x7001/
{
	printf("%d %s %d", tid, execname, self->n++);
	@sizes[execname] = quantize(self->n);
	@times[timestamp / 1000000] = lquantize(self->n, 0, 100, 10);
	@lines[timestamp / 1000000, "</script><i>"] = count();
	@bars[self->n % 7] = sum(self->n);
	@stacks["k<i>", stack()] = count();
	@exact = percentile(self->n, 50);
}
BEGIN { trace(*(int *)8); }
"""
DRIVER = r"""<script>
var said = { errors: failed };
function all(s) { return Array.from(document.querySelectorAll(s)); }
function texts(s) { return all(s).map(function (e) { return e.textContent; }); }
function type(field, text) {
	field.value = text;
	field.dispatchEvent(new Event("input"));
}
said.hidden = all(".f").length === 0 ? null :
    all(".flame")[0].getBoundingClientRect().bottom > window.innerHeight;
said.deep = all(".f").length === 0 ? null :
    all(".flame")[0].getBoundingClientRect().height > window.innerHeight;
said.bar = all(".bar").map(function (e) {
	return e.getBoundingClientRect().top;
});
said.colours = all(".f rect").map(function (e) {
	return getComputedStyle(e).fill;
}).filter(function (c, i, list) { return list.indexOf(c) === i; }).sort();
said.titles = texts("h2");
said.markup = all("b, section i:not(td.bar i)").length;
said.plots = all("svg.plot").map(function (e) {
	return e.getAttribute("aria-label");
});
said.messages = texts(".messages li").length;
said.notes = texts(".note");
said.frames = all(".f").length;
var records = document.querySelector("#records");
function rows() { return records.querySelectorAll("tbody tr").length; }
if (records) {
	said.rows = rows();
	type(records.querySelector("input"), " 17");
	said.filtered = Array.from(records.querySelectorAll("tbody tr")).map(
	    function (r) { return r.cells[4].textContent; });
	type(records.querySelector("input"), "");
	records.querySelectorAll("th button")[4].click();
	records.querySelectorAll("th button")[0].click();
	said.newest = records.querySelector("tbody tr").cells[4].textContent;
	said.sort = records.querySelector("th").getAttribute("aria-sort");
	var cell = records.querySelector(".cell");
	said.cell = cell.getAttribute("aria-label");
	cell.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
	said.picked = texts("#records .tools[aria-live]")[0];
}
if (all(".f").length > 1) {
	all(".f")[1].dispatchEvent(new MouseEvent("click"));
	said.zoomed = all(".f")[0].classList.contains("above");
	type(document.querySelector("#search"), "k<i>");
	said.found = document.querySelector(".status").textContent;
}
document.body.replaceChildren();
document.body.setAttribute("data-said", JSON.stringify(said));
</script>"""
ERRORS = r"""<script>
var failed = [];
window.onerror = function (text) { failed.push(text); };
</script>"""


def held(path):
    """The JSON that a page holds."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    found = re.search(r'<script id="data" type="application/json">(.*?)'
                      "</script>", text, re.DOTALL)
    return json.loads(found[1])


def browse(path, work):
    """The findings of the driver in the page."""
    driven = os.path.join(work, "driven.html")
    with open(path, encoding="utf-8") as f:
        text = f.read()
    head, body, tail = re.split("(<body[^>]*>)", text, maxsplit=1)
    with open(driven, "w", encoding="utf-8") as f:
        f.write(head + body + ERRORS +
                tail.replace("</body>", DRIVER + "</body>"))
    ran = subprocess.run(
        ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu",
         "--user-data-dir=" + os.path.join(work, "profile"), "--dump-dom",
         "file://" + driven],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120,
        check=False, encoding="utf-8")
    found = re.search('data-said="([^"]*)"', ran.stdout)
    if found is None:
        return {"errors": ran.stdout[:2000]}
    return json.loads(found[1].replace("&quot;", '"').replace("&lt;", "<")
                      .replace("&gt;", ">").replace("&amp;", "&"))


def trace(script, path, command):
    return dtrace("-q", "-b", "32m", "-x", "oformat=html", "-o", path, "-n", script, "-c",
                  command)


def test_bounds(tap, work):
    """More records and rows than a page takes."""
    path = os.path.join(work, "many.html")
    calls = 50000
    ran = trace(MANY, path, f"{prog('burst')} 1 {calls}")
    run = held(path)
    records, aggs = run["records"], run["aggregations"]
    tap.ok(records["seen"] == calls and records["step"] == 4 and
           len(records["rows"]) == calls / 4, "a sample of many records",
           records["seen"], records["step"], len(records["rows"]), ran)
    tap.ok([r[4].split(" ", 1)[1] for r in records["rows"][:3]] ==
           ["number 0", "number 4", "number 8"], "every fourth of them",
           records["rows"][:3])
    for kind in "cpu", "thread":
        tap.ok(sum(sum(lane["bins"]) for lane in records["lanes"]
                   if lane["kind"] == kind) == calls,
               f"the timeline by {kind} counts all")
    last = aggs[0]["printings"][-1]
    tap.ok(len(last["rows"]) == 10000 and
           last["omitted"] == calls - 10000, "the page has 10000 rows",
           len(last["rows"]), last["omitted"])
    return path


def test_browser(tap, work, many):
    path = os.path.join(work, "page.html")
    ran = trace(PAGE, path, f"{prog('burst')} 1 100")
    said = browse(path, work)
    tap.ok(said["errors"] == [], "the page's scripts run", said, ran)
    if said["errors"]:
        return
    tap.ok(said["markup"] == 0, "names are no markup", said)
    tap.ok(said["messages"] >= 1, "faults are shown", said)
    tap.ok(said["plots"] == ["@times over time", "@lines over time",
                             "Records over time"],
           "keys that are times make heat maps and lines", said)
    tap.ok(said["frames"] > 1 and said["zoomed"] and "100.00%" in
           said["found"], "stacks: zoom and search", said)
    tap.ok(len(said["filtered"]) == 1 and said["filtered"][0].endswith(" 17"),
           "records: filter", said)
    tap.ok(said["newest"].endswith(" 99") and said["sort"] == "descending",
           "records: sort", said)
    tap.ok(said["picked"].startswith(said["cell"].split(",")[0]),
           "timeline: a place is chosen by keyboard", said)
    said = browse(many, work)
    tap.ok(said["errors"] == [] and len(said["notes"]) == 2,
           "a page says what it left out", said)


DEEP = ("import os; f = lambda n: n and max([n], key=lambda _: f(n - 1) or 1) "
        "or os.getpriority(0, 0); f(40)")


def test_flame(tap, work):
    """A deep graph begins at its wide frames; differences are coloured."""
    page = os.path.join(work, "flame.html")
    old = os.path.join(work, "old")
    with open(old, "w", encoding="utf-8") as f:
        f.write("k<i> 3\nother 1\n")
    ran = dtrace("-q", "-x", "oformat=flame", "-x", "ustackframes=100", "-x",
                 "flamediff=" + old, "-o", page, "-n",
                 "syscall::getpriority:entry /pid == $target/ "
                 "{ @[\"k<i>\", ustack()] = count(); }",
                 "-c", f"/usr/bin/python3 -c '{DEEP}'")
    said = browse(page, work) if ran.status == 0 else {"errors": str(ran)}
    tap.ok(said["errors"] == [] and said["deep"] and not said["hidden"],
           "a deep graph shows its widest frames first", said)
    tap.ok(said["errors"] == [] and said["bar"] == [0],
           "and the search stays in the window", said)
    tap.ok(said["errors"] == [] and said["zoomed"] and
           said["found"] == '"k<i>": 100.00%', "search and zoom work", said)
    # the root is as before, and the rest has grown: by 25 and by 100 points
    tap.ok(said["errors"] == [] and len(said["colours"]) == 2,
           "changed frames have another colour", said)


def main():
    tap = start("root bpf prog:burst")
    with tempfile.TemporaryDirectory() as work:
        many = test_bounds(tap, work)
        if shutil.which("chromium") is None:
            tap.skip("pages in a browser", "chromium is not installed")
        else:
            test_browser(tap, work, many)
            test_flame(tap, work)
    tap.done()


main()
