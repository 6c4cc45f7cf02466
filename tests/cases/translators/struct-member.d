/*
 * A translated member may be a struct or an array, whose parts are taken as
 * usual.
 * @@args: -q
 */
struct pos { int x; int y; };
struct raw { int a; struct pos p; int v[3]; };
struct nice { struct pos n_pos; int n_v[3]; struct pos *n_at; };
translator struct nice < struct raw r > { n_pos = r.p; n_v = r.v; };
struct raw raw;
inline struct pos posof[struct raw r] = r.p;
BEGIN
{
	raw.p.x = 7;
	raw.p.y = 8;
	raw.v[2] = 9;
	printf("%d %d %d %d\n", xlate <struct nice> (raw).n_pos.y,
	    xlate <struct nice *> (raw)->n_v[2], posof[raw].x, posof[raw].y);
	this->n = xlate <struct nice> (raw);
	printf("%d %d\n", this->n.n_pos.x, this->n.n_v[2]);
	exit(0);
}
