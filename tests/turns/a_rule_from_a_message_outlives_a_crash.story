# The words decide how strict it is, whatever the model says. Declining ends the questions.
set tools.approvals.mode "off"
user don't write notes without asking me
model {"keys":["note_write"],"rule":"never"}
model Understood.
done Understood.
proposal ask note_write
crash
user note it
model call note_write {"text":"a"}
ask note_write
answer allow
model Noted.
done Noted.
decline
user and this
model call note_write {"text":"b"}
model Noted too.
done Noted too.
is tools.approvals.rules {}
ran note_write 2
