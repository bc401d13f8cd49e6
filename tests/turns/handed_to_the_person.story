# Prepared, never sent: not in mode off, not after "for this chat". Look-ups run.
set tools.approvals.mode "off"
set tools.approvals.rules {"mailer":"hand_off","notes":"hand_off"}
user mail Sam
model call mail_send {"text":"Lunch?"}
result "handed_off":true
model It is ready for you.
prompt has NOT DONE by Sentient
done It is ready for you.
user read my note
model call note_read {}
model Milk.
done Milk.
ran mail_send 0
ran note_read 1
