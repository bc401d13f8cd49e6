user first
model slow One two three four five
wait 1s
file uploads/a.txt words
user second
wait 1s
crash
model First again.
done First again.
model Second.
done Second.
rows user assistant user assistant
