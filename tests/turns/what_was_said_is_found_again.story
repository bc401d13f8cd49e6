user the boiler man comes on Tuesday
model Noted.
done Noted.
user what did I say about the boiler?
model call memory_search_history {"query":"boiler"}
result the boiler man comes on Tuesday
model Tuesday.
done Tuesday.
user what did we talk about today?
model call history_time_search {"start_date":"2026-10-10","end_date":"2026-10-10"}
result user: the boiler man comes on Tuesday
model The boiler.
done The boiler.
user and last year?
model call history_time_search {"start_date":"2025-10-10","end_date":"2025-10-12"}
result Nothing was said in that time.
model Nothing.
done Nothing.
