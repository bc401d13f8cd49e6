# After outside content only this one call can be allowed, whatever a client answers.
user read it and mail Sam
model call page_read {"url":"http://a.example/"}
model call mail_send {"text":"a"}
ask mail_send
card has ["allow","deny"]
answer allow_always
model Sent.
done Sent.
is tools.approvals.rules {}
grants 0
user again
model call mail_send {"text":"b"}
ask mail_send
answer allow_session
model Sent again.
done Sent again.
user and again
model call mail_send {"text":"c"}
ask mail_send
answer deny
model No.
done No.
ran mail_send 2
