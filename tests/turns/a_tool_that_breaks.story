user try the broken one
model call broken {}
result fault in Sentient
model It is broken.
done It is broken.
# and the chat goes on
user fine
model Yes.
done Yes.
