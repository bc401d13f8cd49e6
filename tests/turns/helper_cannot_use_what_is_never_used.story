# A rule that says never holds for helpers too, whatever names their models write.
set tools.approvals.mode "off"
set tools.approvals.rules {"note_read":"never"}
user look into it
model call delegate_task {"goal":"Read the notes","tools":["note_read"]}
model call note_read {}
model I could not read the notes.
model There was nothing.
done There was nothing.
ran note_read 0
helper completed could not read
