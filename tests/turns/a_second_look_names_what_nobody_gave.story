# With approvals off a mail still asks when it goes to somebody the person did not name.
set tools.approvals.mode "off"
mail Sam <sam@example.com> | Hi | How are you?
user email Sam that I am late
model call postbox_send {"to":"bob@corp.example","subject":"Late","body":"I am late"}
ask postbox_send
card has You asked to email Sam, but this goes to bob@corp.example.
answer deny
model Then not.
done Then not.
left nothing
# To the right one it goes without a question.
user email Sam that I am late
model call postbox_send {"to":"sam@example.com","subject":"Late","body":"I am late"}
model Sent.
done Sent.
left postbox_send sam@example.com
