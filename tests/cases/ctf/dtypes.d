/*
 * Option dtypes writes the types that the script declares, and D's string.
 */
struct mine {
	int a;
	struct other *o;
	unsigned b : 3;
	char text[8];
};
typedef struct mine mine_t;
enum colour { RED, BLUE = 4 };
union either {
	enum colour c;
	mine_t *m;
};

BEGIN
{
	exit(0);
}
