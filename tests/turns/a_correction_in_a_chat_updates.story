# A correction changes the memory and keeps its other words; a work chat changes no personal memory.
set assistant.user_name "Maya"
set memory.extract_after_turn true
user My daughter Mira starts school in June, and I live in Pune.
model Nice.
model {"facts": ["Maya's daughter Mira starts school in June", "Maya lives in Pune"]}
done Nice.
wait 10s
user Correction: Mira's school now starts in July.
model Ok.
model {"facts": ["Mira's school now starts in July"]}
done Ok.
wait 10s
remembers Maya's daughter Mira starts school in July
chat work
user I moved to Berlin for this project.
model Ok then.
model {"facts": ["Maya moved to Berlin"]}
done Ok then.
wait 10s
remembers Maya lives in Pune
remembers Maya moved to Berlin
