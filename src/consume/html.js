/*
 * The page of a run: tables, histograms, heat maps, lines, a timeline.
 *
 * All text is set as text, never as markup.  Times are nanoseconds of the
 * monotonic clock and may be beyond what a number holds exactly.
 */
(function () {
	"use strict";
	var SVG = "http://www.w3.org/2000/svg";
	var PAGE = 50, COLOURS = 8, WIDTH = 1000;
	var run = JSON.parse(document.getElementById("data").textContent);

	/* ---- parts ---- */

	function set(e, attrs, children) {
		Object.keys(attrs || {}).forEach(function (k) {
			if (k === "on")
				Object.keys(attrs.on).forEach(function (name) {
					e.addEventListener(name, attrs.on[name]);
				});
			else
				e.setAttribute(k, attrs[k]);
		});
		(children || []).forEach(function (child) { e.append(child); });
		return e;
	}
	function el(tag, attrs, children) {
		return set(document.createElement(tag), attrs, children);
	}
	function svg(tag, attrs, children) {
		return set(document.createElementNS(SVG, tag), attrs, children);
	}
	function note(text) {
		return el("p", { "class": "note" }, [text]);
	}
	function plural(n, what) {
		return n + " " + what + (n === 1 ? "" : "s");
	}
	/* seconds since the run began */
	function since(ns) {
		return (ns - run.began) / 1e9;
	}
	function seconds(s) {
		return s.toFixed(s < 10 ? 6 : 3) + " s";
	}
	function wall(ns) {
		return new Date((ns + run.wall) / 1e6).toISOString();
	}
	function amount(v) {
		return typeof v === "number" ? v : Number(v) || 0;
	}
	function shown(c) {
		return typeof c === "number" ? c.toLocaleString("en") : String(c);
	}

	/* ---- tables ---- */

	/*
	 * Columns are { name, is_number }, rows are arrays.  Returns the table,
	 * with its filter and its pages.
	 */
	function table(label, columns, rows, bar) {
		var by = -1, down = false, from = 0, text = "", picked = null;
		var most = Math.max.apply(null, [1].concat(bar === undefined ? [] :
		    rows.slice(0, 50000).map(function (r) {
			return Math.abs(amount(r[bar]));
		})));
		var body = el("tbody"), where = el("span", { "aria-live": "polite" });
		var heads = columns.map(function (c, i) {
			var sort = el("button", { type: "button", on: {
				click: function () {
					down = by === i ? !down : c.is_number;
					by = i;
					draw();
				}
			} }, [c.name]);
			return el("th", { "class": c.is_number ? "n" : "", scope: "col" },
			    [sort]);
		});
		function step(by_rows) {
			return function () {
				from = Math.max(0, from + by_rows);
				draw();
			};
		}
		function compare(a, b) {
			var x = a[by], y = b[by];
			var order = columns[by].is_number ? amount(x) - amount(y) :
			    String(x) < String(y) ? -1 : String(x) > String(y) ? 1 : 0;
			return down ? -order : order;
		}
		function matching() {
			return rows.filter(function (r) {
				return (!picked || picked(r)) &&
				    (text === "" || r.some(function (c) {
					return String(c).toLowerCase().includes(text);
				    }));
			});
		}
		function draw() {
			var have = matching();
			if (by >= 0)
				have = have.slice().sort(compare);
			if (from >= have.length)
				from = 0;
			heads.forEach(function (h, i) {
				h.setAttribute("aria-sort", i !== by ? "none" :
				    down ? "descending" : "ascending");
			});
			body.replaceChildren.apply(body,
			    have.slice(from, from + PAGE).map(line));
			where.textContent = have.length === 0 ? " no rows " :
			    " " + (from + 1) + "-" +
			    Math.min(from + PAGE, have.length) + " of " + have.length +
			    " ";
			pager.hidden = have.length <= PAGE && from === 0 && !picked &&
			    text === "";
		}
		function line(r) {
			var cells = columns.map(function (c, i) {
				return el("td", { "class": c.is_number ? "n" : "" },
				    [c.show ? c.show(r[i]) : shown(r[i])]);
			});
			if (bar !== undefined)
				cells.push(el("td", { "class": "bar" }, [el("i", {
					style: "width:" +
					    (100 * Math.abs(amount(r[bar])) / most) + "%"
				})]));
			return el("tr", {}, cells);
		}
		var filter = el("input", { type: "search", on: {
			input: function () {
				text = filter.value.toLowerCase();
				from = 0;
				draw();
			}
		} });
		var pager = el("span", {}, [
			el("button", { type: "button", on: { click: step(-PAGE) } },
			    ["Previous"]), where,
			el("button", { type: "button", on: { click: step(PAGE) } },
			    ["Next"])
		]);
		var head = el("tr", {}, heads.concat(bar === undefined ? [] :
		    [el("td", { "class": "bar", "aria-hidden": "true" })]));
		var all = el("div", {}, [
			el("p", { "class": "tools" }, [
				el("label", {}, ["Filter ", filter]), " ", pager
			]),
			el("table", { "aria-label": label },
			    [el("thead", {}, [head]), body])
		]);
		draw();
		return { element: all, pick: function (f) {
			picked = f;
			from = 0;
			draw();
		} };
	}

	/* ---- plots ---- */

	function plot(height, label, children) {
		return svg("svg", { "class": "plot", role: "img", "aria-label": label,
			viewBox: "0 0 " + WIDTH + " " + height }, children);
	}
	function text(x, y, s, anchor) {
		return svg("text", { x: x, y: y, "text-anchor": anchor || "start" },
		    [s]);
	}
	function title(s) {
		return svg("title", {}, [s]);
	}
	var LEFT = 130;
	function across(t, t0, t1) {
		return LEFT + (WIDTH - LEFT - 10) * (t1 > t0 ? (t - t0) / (t1 - t0) : 0);
	}
	function time_axis(t0, t1, y) {
		return [text(LEFT, y, seconds(t0)),
			text(WIDTH - 10, y, seconds(t1), "end")];
	}

	/* Series are { name, points: [[time, value], ...] }. */
	function lines(series, label) {
		var H = 180, all = [].concat.apply([], series.map(function (s) {
			return s.points;
		}));
		var t0 = Infinity, t1 = -Infinity, low = 0, high = 0;
		all.forEach(function (p) {
			t0 = Math.min(t0, p[0]);
			t1 = Math.max(t1, p[0]);
			low = Math.min(low, p[1]);
			high = Math.max(high, p[1]);
		});
		function y(v) {
			return 10 + (H - 20) * (high > low ? (high - v) / (high - low) : 1);
		}
		var parts = [svg("line", { "class": "axis", x1: LEFT, x2: WIDTH - 10,
			y1: y(0), y2: y(0) }), text(LEFT - 5, 14, shown(high), "end"),
			text(LEFT - 5, y(low) + 4, shown(low), "end")];
		series.forEach(function (s, i) {
			var d = s.points.map(function (p, k) {
				return (k ? "L" : "M") + across(p[0], t0, t1).toFixed(1) +
				    " " + y(p[1]).toFixed(1);
			}).join("");
			if (s.points.length === 1)
				d += "h3";
			parts.push(svg("path", { d: d, "class": "c" + i % COLOURS },
			    [title(s.name)]));
			parts.push(svg("line", { x1: LEFT, x2: LEFT + 20,
				y1: H + 26 + 16 * i, y2: H + 26 + 16 * i,
				"stroke-width": 3, "class": "c" + i % COLOURS }));
			parts.push(text(LEFT + 26, H + 30 + 16 * i, s.name));
		});
		return plot(H + 32 + 16 * series.length, label,
		    parts.concat(time_axis(t0, t1, H + 10)));
	}

	function bucket_name(b) {
		return b[0] === null ? "< " + shown(b[1] + 1) :
		    b[1] === null ? ">= " + shown(b[0]) :
		    b[0] === b[1] ? shown(b[0]) : shown(b[0]) + " - " + shown(b[1]);
	}
	function bucket_order(b) {
		return b[0] === null ? -Infinity : b[0];
	}

	/* Cells are { time, bucket, count }; the width is a step of time. */
	function heat(cells, step, label) {
		var H = 16, names = {}, order = [], most = 1, t0 = Infinity,
		    t1 = -Infinity, sums = {};
		cells.forEach(function (c) {
			var name = bucket_name(c.bucket);
			if (!names[name]) {
				names[name] = c.bucket;
				order.push(name);
			}
			t0 = Math.min(t0, c.time);
			t1 = Math.max(t1, c.time + step);
		});
		order.sort(function (a, b) {
			return bucket_order(names[b]) - bucket_order(names[a]);
		});
		/* no narrower than a pixel */
		var width = Math.max(step, (t1 - t0) / 400);
		cells.forEach(function (c) {
			var col = Math.floor((c.time - t0) / width + 1e-6);
			var row = order.indexOf(bucket_name(c.bucket));
			var at = col + "," + row;
			sums[at] = sums[at] || { col: col, row: row, n: 0 };
			sums[at].n += c.count;
			most = Math.max(most, sums[at].n);
		});
		var parts = order.map(function (name, i) {
			return text(LEFT - 5, H * i + 12, name, "end");
		});
		Object.keys(sums).forEach(function (k) {
			var s = sums[k], from = t0 + s.col * width;
			var x = across(from, t0, t1);
			parts.push(svg("rect", { "class": "cell", x: x.toFixed(2),
				y: H * s.row,
				width: Math.max(1, across(Math.min(t1, from + width),
				    t0, t1) - x).toFixed(2),
				height: H - 1, "fill-opacity":
				    (0.15 + 0.85 * Math.log(1 + s.n) /
					Math.log(1 + most)).toFixed(3) },
			    [title(order[s.row] + " at " + seconds(from) + ": " +
				shown(s.n))]));
		});
		return plot(H * order.length + 16, label,
		    parts.concat(time_axis(t0, t1, H * order.length + 12)));
	}

	/* ---- aggregations ---- */

	function last(agg) {
		return agg.printings[agg.printings.length - 1];
	}
	function rows_of(agg) {
		return agg.printings.length ? last(agg).rows : [];
	}
	function key_name(keys) {
		return keys.length ? keys.join(", ") : "all";
	}
	function without(keys, i) {
		return keys.filter(function (_, k) { return k !== i; });
	}
	function total(row) {
		return row.buckets ? row.buckets.reduce(function (n, b) {
			return n + b[2];
		}, 0) : amount(row.value);
	}
	/* A time key's value as seconds since the beginning. */
	function key_time(agg, row) {
		var tk = agg.timekey, ns = BigInt(row.keys[tk.key]) * BigInt(tk.unit);
		if (tk.clock === "wall")
			ns -= BigInt(run.wall);
		return Number(ns - BigInt(run.began)) / 1e9;
	}
	/* The keys as text, a time as seconds since the beginning. */
	function keys_of(agg, row) {
		return row.keys.map(function (k, i) {
			return agg.timekey ? agg.timekey.key === i ?
			    seconds(key_time(agg, row)) : k : k;
		});
	}
	/* [[time, row], ...]: by the time key, or by printing */
	function timed(agg) {
		if (agg.timekey)
			return rows_of(agg).map(function (r) {
				return [key_time(agg, r), r];
			});
		return [].concat.apply([], agg.printings.map(function (p) {
			return p.rows.map(function (r) { return [since(p.time), r]; });
		}));
	}
	function series_key(agg, row) {
		return key_name(agg.timekey ? without(row.keys, agg.timekey.key) :
		    row.keys);
	}
	/* The rows by key, those with the largest totals first. */
	function grouped(agg) {
		var groups = new Map();
		timed(agg).forEach(function (tr) {
			var name = series_key(agg, tr[1]);
			if (!groups.has(name))
				groups.set(name, { name: name, total: 0, rows: [] });
			groups.get(name).total += Math.abs(total(tr[1]));
			groups.get(name).rows.push(tr);
		});
		return Array.from(groups.values()).sort(function (a, b) {
			return b.total - a.total;
		});
	}
	function smallest_step(times) {
		var s = Array.from(new Set(times)).sort(function (a, b) {
			return a - b;
		}), step = Infinity;
		for (var i = 1; i < s.length; i++)
			step = Math.min(step, s[i] - s[i - 1]);
		return step === Infinity ? 1 : step;
	}
	/* Interpolated within the bucket, as if its values were spread evenly. */
	function percentile(buckets, p) {
		var all = buckets.reduce(function (n, b) { return n + b[2]; }, 0);
		var want = all * p / 100, seen = 0;
		for (var i = 0; i < buckets.length; i++) {
			var b = buckets[i];
			if (seen + b[2] >= want && b[2] > 0) {
				if (b[0] === null)
					return "< " + shown(b[1] + 1);
				if (b[1] === null)
					return ">= " + shown(b[0]);
				return shown(Math.round(b[0] +
				    (b[1] - b[0]) * (want - seen) / b[2]));
			}
			seen += b[2];
		}
		return "";
	}
	function percentiles_of(row) {
		if (row.percentiles)
			return row.percentiles.map(function (p) {
				return ["p" + p[0], (p[2] > 0 ? ">= " : p[2] < 0 ?
				    "<= " : "") + shown(p[1])];
			});
		return [50, 90, 99, 99.9].map(function (p) {
			return ["p" + p, percentile(row.buckets, p)];
		});
	}
	function histogram(keys, row) {
		var n = total(row), columns = [{ name: "Value" },
			{ name: "Count", is_number: true }];
		var is_exact = row.percentiles !== undefined;
		return el("div", {}, [
			el("h3", {}, [key_name(keys) + ": " + plural(n, "value")]),
			el("p", {}, [percentiles_of(row).map(function (p) {
				return p.join(" ");
			}).join(", ") + (is_exact ? "" : " (interpolated)")]),
			table(key_name(keys), columns, row.buckets.map(function (b) {
				return [bucket_name(b), b[2]];
			}), 1).element
		]);
	}

	function choice(label, names, draw) {
		var place = el("div"), select = el("select", { on: {
			change: function () {
				place.replaceChildren(draw(select.selectedIndex));
			}
		} }, names.map(function (n) { return el("option", {}, [n]); }));
		if (names.length)
			place.append(draw(0));
		return el("div", {}, names.length < 2 ? [place] : [
			el("label", {}, [label + " ", select]), place
		]);
	}

	function show_distribution(agg, section) {
		var groups = grouped(agg);
		var times = timed(agg).map(function (tr) { return tr[0]; });
		var step = smallest_step(times);
		if (agg.timekey || agg.printings.length > 1)
			section.append(choice("Heat map of",
			    ["all"].concat(groups.map(function (g) {
				return g.name;
			    })), function (i) {
				var trs = i === 0 ? timed(agg) : groups[i - 1].rows;
				return heat([].concat.apply([],
				    trs.map(function (tr) {
					return tr[1].buckets.map(function (b) {
						return { time: tr[0], bucket: b,
							count: b[2] };
					});
				    })), step, "@" + agg.name + " over time");
			    }));
		var rows = rows_of(agg).slice().sort(function (a, b) {
			return total(b) - total(a);
		});
		section.append(choice("Histogram of", rows.map(function (r) {
			return key_name(keys_of(agg, r)) + " (" + total(r) + ")";
		}), function (i) { return histogram(keys_of(agg, rows[i]), rows[i]); }));
	}

	function show_numbers(agg, section) {
		var rows = rows_of(agg), groups;
		if (agg.timekey || agg.printings.length > 1) {
			groups = grouped(agg);
			section.append(lines(groups.slice(0, COLOURS).map(function (g) {
				return { name: g.name, points: g.rows.map(function (tr) {
					return [tr[0], amount(tr[1].value)];
				}).sort(function (a, b) { return a[0] - b[0]; }) };
			}), "@" + agg.name + " over time"));
			if (groups.length > COLOURS)
				section.append(note("The lines are those of the " +
				    COLOURS + " largest of " + groups.length + " keys."));
		}
		var nkeys = rows.length ? rows[0].keys.length : 0, columns = [];
		for (var i = 0; i < nkeys; i++)
			columns.push({ name: agg.timekey ? agg.timekey.key === i ?
			    "Time" : "Key " + (i + 1) : "Key " + (i + 1) });
		columns.push({ name: agg["function"], is_number: true });
		section.append(table("@" + agg.name, columns,
		    rows.map(function (r) {
			return keys_of(agg, r).concat([r.value]);
		    }).reverse(), nkeys).element);
	}

	function show_aggregation(agg, i) {
		var section = document.getElementById("agg-" + i);
		if (agg.kind === "stacks")
			return;
		section.append(el("h2", {}, ["@" + agg.name + ": " +
			agg["function"]]));
		if (!rows_of(agg).length) {
			section.append(el("p", {}, ["It has no rows."]));
			return;
		}
		if (last(agg).omitted)
			section.append(note(plural(last(agg).omitted, "row") +
			    " with the smallest amounts are left out."));
		if (agg.thinned)
			section.append(note("Every second printing was left out, " +
			    agg.thinned + " in all."));
		(rows_of(agg)[0].buckets ? show_distribution : show_numbers)(agg,
		    section);
	}

	/* ---- records ---- */

	function lane_name(l) {
		return l.kind === "cpu" ? "CPU " + l.id :
		    l.id === undefined ? "others" : "thread " + l.id;
	}
	function timeline(records, pick) {
		var H = 16, lanes = records.lanes.slice().sort(function (a, b) {
			if (a.kind !== b.kind)
				return a.kind === "cpu" ? -1 : 1;
			return a.id === undefined ? 1 : b.id === undefined ? -1 :
			    a.id - b.id;
		});
		var n = 1, most = 1, parts = [];
		lanes.forEach(function (l) {
			l.bins.forEach(function (c, i) {
				n = c ? Math.max(n, i + 1) : n;
				most = Math.max(most, c);
			});
		});
		var t0 = since(records.from), w = records.width / 1e9,
		    t1 = t0 + n * w;
		lanes.forEach(function (l, k) {
			parts.push(text(LEFT - 5, H * k + 12, lane_name(l), "end"));
			l.bins.forEach(function (c, i) {
				if (!c)
					return;
				var from = t0 + i * w, x = across(from, t0, t1);
				function choose() {
					pick(l, records.from + i * records.width,
					    records.from + (i + 1) * records.width);
				}
				parts.push(svg("rect", { "class": "cell",
					x: x.toFixed(2), y: H * k, height: H - 1,
					width: Math.max(1, across(from + w, t0, t1) -
					    x).toFixed(2), tabindex: 0, role: "button",
					"fill-opacity": (0.2 + 0.8 * Math.log(1 + c) /
					    Math.log(1 + most)).toFixed(3),
					"aria-label": lane_name(l) + ", " +
					    seconds(from) + ": " + plural(c, "record"),
					on: { click: choose, keydown: function (e) {
						if (e.key === "Enter" || e.key === " ") {
							e.preventDefault();
							choose();
						}
					} } }, [title(lane_name(l) + ", " +
					    seconds(from) + ": " + plural(c, "record"))]));
			});
		});
		return plot(H * lanes.length + 16, "Records over time",
		    parts.concat(time_axis(t0, t1, H * lanes.length + 12)));
	}
	function show_records(records) {
		var section = document.getElementById("records");
		if (!records.seen) {
			section.remove();
			return;
		}
		section.append(el("h2", {}, ["Records: " + records.seen]));
		if (records.step > 1)
			section.append(note("The table has every " + records.step +
			    "th record, " + records.rows.length +
			    " in all; the timeline counts all of them."));
		var picked = el("p", { "class": "tools", "aria-live": "polite" });
		var t = table("Records", [
			{ name: "Time", is_number: true, show: function (ns) {
				return el("span", { title: wall(ns) },
				    [seconds(since(ns))]);
			} },
			{ name: "CPU", is_number: true },
			{ name: "Thread", is_number: true, show: function (v) {
				return v === null ? "" : String(v);
			} },
			{ name: "Probe" }, { name: "Text" }
		], records.rows);
		function pick(l, from, to) {
			t.pick(function (r) {
				return r[0] >= from && r[0] < to &&
				    (l.kind === "cpu" ? r[1] === l.id :
				    l.id === undefined || r[2] === l.id);
			});
			picked.replaceChildren(lane_name(l) + " from " +
			    seconds(since(from)) + " to " + seconds(since(to)) + " ",
			    el("button", { type: "button", on: { click: function () {
				t.pick(null);
				picked.replaceChildren();
			    } } }, ["All records"]));
		}
		section.append(timeline(records, pick), picked, t.element);
	}

	/* ---- the page ---- */

	function show_messages() {
		var section = document.getElementById("messages");
		if (!run.messages.length)
			return;
		section.hidden = false;
		section.append(el("h2", {}, ["Errors and drops: " +
			run.messages_seen]));
		if (run.messages_seen > run.messages.length)
			section.append(note("The first " + run.messages.length +
			    " are shown."));
		section.append(el("ul", { "class": "messages" },
		    run.messages.map(function (m) {
			return el("li", {}, [seconds(since(m.time)) + "  " +
				m.text.trim()]);
		    })));
	}
	function contents() {
		var links = run.aggregations.map(function (a, i) {
			return el("a", { href: "#agg-" + i }, ["@" + a.name]);
		});
		if (run.messages.length)
			links.unshift(el("a", { href: "#messages" }, ["Errors"]));
		if (run.records.seen)
			links.push(el("a", { href: "#records" }, ["Records"]));
		document.getElementById("contents").append.apply(
		    document.getElementById("contents"), links);
	}
	document.getElementById("run").textContent = run.host + ", " +
	    wall(run.began) + ", " + seconds((run.ended - run.began) / 1e9);
	show_messages();
	run.aggregations.forEach(show_aggregation);
	show_records(run.records);
	contents();
}());
