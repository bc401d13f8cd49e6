# A helper has nobody to ask: what its chat asks about until the person decides, it does not do.
set tools.approvals.mode "off"
user never write notes without asking me, a helper may look into it
model {"keys":["note_write"],"rule":"ask"}
model call delegate_task {"goal":"Note it"}
model call note_write {"text":"a"}
model I could not note it.
model It is not noted.
done It is not noted.
proposal ask note_write
ran note_write 0
decline
user go on
model call delegate_task {"goal":"Note it"}
model call note_write {"text":"a"}
model Noted.
model It is noted.
done It is noted.
ran note_write 1
