set tools.approvals.rules {"jotter_trash_note":"never"}
note Milk | Buy milk
user delete that note
model call jotter_delete_note {"note_id":"n1"}
ask jotter_delete_note
answer deny
model I left it.
done I left it.
