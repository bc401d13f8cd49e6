set tools.approvals.mode "off"
set tools.approvals.rules {"note_read":"ask"}
user what do I have
model call note_read {}
ask note_read
answer allow
model Milk.
done Milk.
user and now
model call note_read {}
ask note_read
answer deny
result declined
model I did not look.
done I did not look.
ran note_read 1
