# the scripted model gives every call the same id
user write a note and mail it
model call note_read {}
and call mail_send {"text":"note"}
ask mail_send
ran mail_send 0
answer deny
model Not mailed.
done Not mailed.
ran mail_send 0
ran note_read 1
rows user assistant(2) tool tool assistant
