user one
model first answer
done first answer
user two
model fails too_long
model Shorter works.
done Shorter works.
