# The person's own words in this turn decide; a name of the tool in somebody's mouth does not.
set tools.approvals.rules {"mailer":"if_asked"}
user please send the mail to Sam
model call mail_send {"text":"a"}
model Sent.
done Sent.
user what did you write?
model call mail_send {"text":"b"}
ask mail_send
card has ["allow","allow_timed","allow_always","deny"]
answer deny
model Not sent.
done Not sent.
user how do I send the mail?
model call mail_send {"text":"c"}
ask mail_send
answer deny
model Not sent.
done Not sent.
ran mail_send 1
