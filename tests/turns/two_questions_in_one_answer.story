# The second question of one answer is not dropped, and a no to one is no answer to the other.
user mail both
model call mail_send {"text":"a"}
and call mail_send {"text":"b"}
and call note_write {"text":"c"}
ask mail_send
answer allow
ask mail_send
answer deny
ask note_write
answer allow
model One mail, one note.
done One mail, one note.
ran mail_send 1
ran note_write 1
rows user assistant(3) tool tool tool assistant
