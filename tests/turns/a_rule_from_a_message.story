# A fast model maps the words; until the person decides, the tool asks, even in mode off. Accepting makes the rule.
set tools.approvals.mode "off"
user never send mail to my boss
model Sure: {"keys":["mail_send"],"rule":"never"}
model call mail_send {"text":"a"}
ask mail_send
card has ["allow","deny"]
answer deny
model I did not send it.
done I did not send it.
proposal never mail_send
accept
proposal none
is tools.approvals.rules {"mail_send":"never"}
is tools.approvals.rule_origins.mail_send.source "chat"
is tools.approvals.rule_origins.mail_send.said "never send mail to my boss"
user mail him
model call mail_send {"text":"b"}
result never use
model It is switched off.
done It is switched off.
ran mail_send 0
