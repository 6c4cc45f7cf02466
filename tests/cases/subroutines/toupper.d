/*
 * toupper and tolower change the letters of ASCII and nothing else.
 * @@args: -q
 */
BEGIN
{
	printf("%s\n", toupper("Mixed `az{ 09 @AZ[ text of some length"));
	printf("%s\n", tolower("Mixed `az{ 09 @AZ[ TEXT OF SOME LENGTH"));
	printf("[%s] [%s]\n", toupper(""), tolower(NULL));
	printf("%s\n", toupper(strjoin("\xe4\xfc", "x")) == "\xe4\xfcX" ?
	    "left alone" : "changed");
	exit(0);
}
