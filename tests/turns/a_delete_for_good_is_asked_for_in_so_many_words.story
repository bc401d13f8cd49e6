note Milk | Buy milk
user delete that note permanently
model call jotter_delete_note {"note_id":"n1"}
ask jotter_delete_note
card has Delete for good
answer deny
model I left it.
done I left it.
user all right, move it to the trash
model call jotter_delete_note {"note_id":"n1"}
ask jotter_trash_note
answer allow
result "trashed":true
model It is in the trash.
done It is in the trash.
