user first
model slow One two three
wait 1s
file uploads/a.txt inside the file
user second
done One two three
model Got the file.
done Got the file.
prompt has inside the file
rows user assistant user assistant
