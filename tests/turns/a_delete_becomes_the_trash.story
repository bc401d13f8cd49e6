set tools.approvals.mode "off"
note Milk | Buy milk
user delete that note
model call jotter_delete_note {"note_id":"n1"}
result Moved to the trash instead of deleting it for good, so it can be restored.
model It is in the trash.
done It is in the trash.
prompt lacks jotter_delete_note
left nothing
