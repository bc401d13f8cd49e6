# a provider that signs its thinking wants it back, untouched, in front of the calls it led to
user read my note
model signs Look into the notes.
and call note_read {}
model Buy milk.
done Buy milk.
prompt has thinking with proof: Look into the notes.
# the next turn has the words and not the proof
user and again
model Still milk.
done Still milk.
prompt has thinking without proof: Look into the notes.
