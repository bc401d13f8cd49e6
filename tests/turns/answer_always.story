# "Always allow" is a lasting rule from then on, with a note of where it came from.
user mail Sam
model call mail_send {"text":"a"}
ask mail_send
card has ["allow","allow_session","allow_timed","allow_always","deny"]
answer allow_always
is tools.approvals.rules {"mail_send":"allow"}
is tools.approvals.rule_origins.mail_send.source "approval"
is tools.approvals.rule_origins.mail_send.via "desktop"
model Sent.
done Sent.
user again, with other words
model call mail_send {"text":"b"}
model Sent again.
done Sent again.
ran mail_send 2
