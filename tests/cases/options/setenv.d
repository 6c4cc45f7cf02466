/*
 * setenv and unsetenv change the environment of the commands of -c, and no
 * other.
 */
BEGIN { system("echo \"dtrace: $ONE $TWO $THREE\""); }
END { }
