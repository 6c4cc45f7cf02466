/*
 * Compiled and saved: a translation as a whole and by its members, an
 * enumeration, a union, bit-fields.
 */
enum color { RED, GREEN = 5 };
struct raw { int number; char text[16]; enum color color; };
struct nice { string name; long twice; unsigned low : 3; unsigned high : 5; };
union word { int whole; short half[2]; };

translator struct nice < struct raw r > {
	name = r.color == GREEN ? stringof(r.text) : "none";
	twice = r.number * 2L;
	low = r.number;
	high = r.number >> 3;
};
struct raw raw;
union word word;

BEGIN
{
	raw.number = 77;
	raw.color = GREEN;
	word.whole = 0x12345678;
	this->n = xlate <struct nice> (raw);
	trace(this->n.high);
	trace(xlate <struct nice *> (raw)->twice);
	trace(word.half[1] & ~0xf);
	trace(sizeof (struct nice));
	exit(0);
}
