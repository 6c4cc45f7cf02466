/*
 * print() of a value that is not a struct is a line of its type and value.
 * @@args: -q
 */
enum color { RED, GREEN = 5, BLUE };
typedef struct pair { int x, y; } pair_t;
pair_t pair;
int arr[int];
char text[8];
int numbers[3];

BEGIN
{
	pair.y = 2;
	text[0] = 'o';
	text[1] = 'k';
	numbers[1] = 16;
	print((int64_t)31);
	print(0);
	print((unsigned char)200);
	print('x');
	print((char)'x');
	print(BLUE);
	print((enum color)5);
	print((void *)4096);
	print("foo");
	print("tab\there, \"quoted\"");
	print(execname);
	print(probename);
	print(text);
	print(numbers);
	print(pair.y);
	print(pair);
	printf("\n");
	exit(0);
}
