set tools.approvals.rules {"jotter_delete_note":"hand_off"}
note Milk | Buy milk
user delete that note
model call jotter_delete_note {"note_id":"n1"}
result "handed_off":true
model It is ready for you.
done It is ready for you.
