set tools.approvals.rules {"mailer":"ask"}
user mail Sam
model call mail_send {"text":"a"}
ask mail_send
card has ["allow","allow_timed","allow_always","deny"]
answer allow_timed
model Sent.
done Sent.
user again
model call mail_send {"text":"b"}
model Sent again.
done Sent again.
ran mail_send 2
