set integrations.read_only ["notes"]
set tools.approvals.rules {"note_write":"allow"}
user note it
model call note_write {"text":"a"}
result set to Read only
model I can only read there.
prompt has set these apps to Read only: notes
done I can only read there.
user what do I have
model call note_read {}
model Milk.
done Milk.
ran note_write 0
ran note_read 1
