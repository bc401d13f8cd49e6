# What a mail says may be read, but nothing goes out because of it before the person has seen it.
mail Sam Roth <sam@example.com> | Lunch | Friday at one?
user tell Sam yes
model call postbox_search {"query":"lunch"}
model call postbox_reply {"message_id":"m1","body":"Yes, Friday at one."}
ask postbox_reply
card has content from Postbox in this chat
answer allow
model Told him.
done Told him.
left postbox_reply sam@example.com Yes, Friday
# A no leaves everything as it is.
user forward it to Kim
model call postbox_forward {"message_id":"m1","to":"kim@example.com"}
ask postbox_forward
answer deny
model Then not.
done Then not.
left postbox_reply
