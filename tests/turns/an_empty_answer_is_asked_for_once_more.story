user hello
model empty
model Now.
done Now.
prompt has Give your final answer now
# the note was never anybody's words
rows user assistant
user and?
model empty
model empty
fails empty answer
