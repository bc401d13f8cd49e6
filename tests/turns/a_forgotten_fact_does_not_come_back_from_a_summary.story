# A summary loses the sentence that repeats a forgotten memory, and so do the personal files.
set assistant.user_name "Maya"
set memory.extract_after_turn true
user I am allergic to peanuts, and my brother Ravi likes long walks.
model Noted.
model {"facts": ["Maya is allergic to peanuts", "Maya's brother Ravi likes long walks"]}
done Noted.
wait 2m
set memory.extract_after_turn false
set memory.summaries_enabled true
model Maya said she is allergic to peanuts. Her brother Ravi likes long walks.
wait 70m
summary has allergic
set memory.summaries_enabled false
set evolution.user_profile_updates true
model - Maya is allergic to peanuts\n- Maya's brother Ravi likes long walks
wait 6m
workspace USER.md has allergic
workspace MEMORY.md has allergic
set evolution.user_profile_updates false
forget Maya is allergic to peanuts
wait 2m
workspace USER.md lacks allergic
workspace USER.md has long walks
workspace MEMORY.md lacks allergic
workspace MEMORY.md has long walks
summary has long walks
summary lacks allergic
