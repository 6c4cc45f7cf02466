/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Another unit of the same program, with its own `struct point` and `enum
 * colour`, with a `struct opaque`, and with the same `struct node`.
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
