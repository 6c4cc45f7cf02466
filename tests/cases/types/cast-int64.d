/*
 * The fixed-width types cast as their C namesakes.
 * @@args: -q
 */
BEGIN
{
	this->x = -1;
	printf("%d\n", (int8_t)this->x);
	printf("%d\n", (uint8_t)this->x);
	printf("%d\n", (int16_t)this->x);
	printf("%d\n", (uint16_t)this->x);
	printf("%d\n", (int32_t)this->x);
	printf("%d\n", (int64_t)(uint32_t)this->x == 4294967295);
	printf("%d\n", (uint64_t)this->x > 1);
	printf("%d\n", (int64_t)this->x < 1);
	exit(0);
}
