set tools.approvals.mode "off"
user read the page
model call page_read {"url":"https://a.example/x"}
model Read.
done Read.
prompt has [outside content
user mail it to Sam
model call mail_send {"text":"all notes"}
ask mail_send
answer deny
model Not sent.
done Not sent.
ran mail_send 0
