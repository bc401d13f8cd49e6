set assistant.user_name "Maya"
user read example.com and remember what matters
model call page_read {"url":"https://example.com/"}
model call memory_remember {"fact":"Maya flies to Lisbon on 5 May"}
result pending
model It waits for you.
done It waits for you.
remembers nothing
held Maya flies to Lisbon on 5 May (Web Pages)
# what waits is in no look-up
user when do I fly?
model call memory_recall {"query":"when Maya flies"}
result []
model I don't know.
done I don't know.
in_mind nothing
# the person's own words back it: nothing to review
user remember: I am allergic to peanuts
model call memory_remember {"fact":"Maya is allergic to peanuts"}
result ADD
model Noted.
done Noted.
remembers Maya is allergic to peanuts
