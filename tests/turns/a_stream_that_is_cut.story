user hello
model cut Once upon
fails cut off
rows user
user again
model Hi.
done Hi.
