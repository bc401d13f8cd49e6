user look into it
model call delegate_task {"goal":"Look into it","tools":["page_read"]}
model call note_read {}
model I could not read the notes.
model There was nothing.
done There was nothing.
ran note_read 0
