/*
 * A flame graph's script: zoom, search, names of frames, keys.
 *
 * The picture is whole without it.  Neither character that begins markup may be
 * in here: the script stands in SVG and in HTML, which read it by other rules.
 */
(function () {
	"use strict";
	var graphs = Array.from(document.querySelectorAll(".flame"));
	var status = document.querySelector(".status");
	var field = document.querySelector("#search");

	function number(e, name) {
		return Number(e.getAttribute("data-" + name));
	}
	function percent(part, whole) {
		return (100 * part / whole).toFixed(2) + "%";
	}
	function say(text) {
		if (status)
			status.textContent = text;
	}

	function open(graph) {
		var frames = Array.from(graph.querySelectorAll(".f"));
		var parent = frames.map(function (f) { return number(f, "p"); });
		var start = frames.map(function (f) { return number(f, "s"); });
		var value = frames.map(function (f) { return number(f, "v"); });
		var names = frames.map(function (f) {
			return f.getAttribute("data-n").toLowerCase();
		});
		var zoomed = 0;

		/* the frames from i to the root */
		function callers(i) {
			var set = {};
			for (; i >= 0; i = parent[i])
				set[i] = true;
			return set;
		}
		function place(f, from, width, whole) {
			f.setAttribute("x", percent(from, whole));
			f.setAttribute("width", percent(width, whole));
		}
		function zoom(i) {
			var above = callers(i), inside = {};
			frames.forEach(function (f, k) {
				inside[k] = k === i || inside[parent[k]] === true;
				var is_above = above[k] === true ? k !== i : false;
				f.classList.toggle("above", is_above);
				f.style.display =
				    inside[k] || is_above ? "" : "none";
				if (is_above)
					place(f, 0, 1, 1);
				else if (inside[k])
					place(f, start[k] - start[i], value[k],
					    value[i]);
			});
			zoomed = i;
		}
		function told(i) {
			return frames[i].getAttribute("aria-label");
		}
		/* The share of the graph under frames whose names have the text. */
		function search(text) {
			var covered = {}, found = 0;
			frames.forEach(function (f, k) {
				var is_hit = text !== "" ?
				    names[k].includes(text) : false;
				var was = covered[parent[k]] === true;
				covered[k] = is_hit || was;
				if (is_hit)
					found += was ? 0 : value[k];
				f.classList.toggle("hit", is_hit);
			});
			return text === "" ? "" : percent(found, value[0]);
		}
		function visible(k) {
			return frames[k] ? frames[k].style.display !== "none" :
			    false;
		}
		/* the widest frame that i calls */
		function callee(i) {
			var best = -1;
			frames.forEach(function (f, k) {
				if (parent[k] === i)
					if (best === -1 || value[k] > value[best])
						best = k;
			});
			return best;
		}
		/* the next frame of i's caller in a direction */
		function beside(i, step) {
			for (var k = i + step; frames[k]; k += step) {
				if (parent[k] === parent[i])
					return visible(k) ? k : -1;
			}
			return -1;
		}
		function go(i) {
			if (visible(i))
				frames[i].focus();
		}
		var moves = {
			ArrowUp: callee,
			ArrowDown: function (i) { return parent[i]; },
			ArrowLeft: function (i) { return beside(i, -1); },
			ArrowRight: function (i) { return beside(i, 1); }
		};

		frames.forEach(function (f, i) {
			f.addEventListener("click", function () { zoom(i); });
			f.addEventListener("mouseenter", function () {
				say(told(i));
			});
			f.addEventListener("focus", function () { say(told(i)); });
			f.addEventListener("keydown", function (event) {
				if (moves[event.key]) {
					go(moves[event.key](i));
				} else if (event.key === "Enter") {
					zoom(i);
				} else if (event.key === "Escape") {
					zoom(0);
				} else {
					return;
				}
				event.preventDefault();
			});
		});
		return { zoom: zoom, search: search };
	}

	var opened = graphs.map(open);

	function search(text) {
		var shares = opened.map(function (g) {
			return g.search(text.toLowerCase());
		});
		say(text === "" ? "" : "\"" + text + "\": " + shares.join(", "));
	}
	function ask() {
		if (field)
			field.focus();
		else
			search(prompt("Frames whose names have this text") || "");
	}
	function reset() {
		opened.forEach(function (g) { g.zoom(0); });
	}
	document.addEventListener("keydown", function (event) {
		if (event.target === field)
			return;
		if (event.key === "/") {
			event.preventDefault();
			ask();
		}
		if (event.key === "Escape")
			reset();
	});
	if (field)
		field.addEventListener("input", function () {
			search(field.value);
		});
	document.querySelectorAll(".ask").forEach(function (e) {
		e.addEventListener("click", ask);
	});
	document.querySelectorAll(".reset").forEach(function (e) {
		e.addEventListener("click", reset);
	});

	/* Callers stand at the bottom, which a deep graph has below the window. */
	function reveal() {
		var root = document.documentElement;
		var is_page = document.querySelector("body.flames") !== null;
		if (graphs.length === 0)
			return;
		if (!is_page)
			if (root.nodeName !== "svg")
				return;
		var below = graphs[0].getBoundingClientRect().bottom -
		    window.innerHeight + 8;
		if (below > 0)
			window.scrollBy(0, below);
	}
	reveal();
}());
