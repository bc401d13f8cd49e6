user read my note
model call note_read {}
model empty
model empty
done I couldn't put together a full answer, so here is what I found:\n- Note read: {"text":"buy milk"}
