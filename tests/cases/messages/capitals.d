/*
 * Wrong capitals in a name count as one misspelt letter; with wrong letters,
 * too, it is another name.
 * @@needs: nothing
 */
bEGIN { }
