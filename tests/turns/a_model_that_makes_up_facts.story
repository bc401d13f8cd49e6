# Only what the person said is kept: no requests, no weather, nothing that only the persona or the model said.
set assistant.user_name "Maya"
set memory.extract_after_turn true
user What is the weather in Pune today, and is Sam coming?
model It rains.
model {"facts": ["Maya asked about the weather", "It is raining in Pune", "Maya owns a yacht in Rome", "Maya is Maya", "unknown"]}
done It rains.
wait 2m
remembers nothing
holds nothing
