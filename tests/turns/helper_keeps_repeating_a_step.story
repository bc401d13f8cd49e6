user look into it
model call delegate_task {"goal":"Look into it"}
model call note_read {}
model call note_read {}
model call note_read {}
model The helper got stuck.
result the same step kept repeating: note_read ran 3 times
done The helper got stuck.
helper error note_read ran 3 times
