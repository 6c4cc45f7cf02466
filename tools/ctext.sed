# A text as a string constant of C, line by line.
s/[\\"]/\\&/g
s/.*/"&\\n"/
