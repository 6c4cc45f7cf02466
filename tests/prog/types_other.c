/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Another unit of the same program, with a `struct point` and an `enum colour`
 * of its own, a `struct opaque`, and a `struct node` that is the same.
 */
struct point {
	double lat, lon;
};
enum colour { CYAN = 1 };
struct opaque {
	long secret;
};

struct point other_point;
enum colour other_colour;
struct opaque the_opaque = { 7 };
