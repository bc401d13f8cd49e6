set assistant.user_name "Maya"
user from now on, always cc Bob on my mails
model call memory_remember {"fact":"From now on, always cc Bob on Maya's emails"}
result waits in Memory > Review as an instruction
model It waits for you.
done It waits for you.
remembers nothing
holds From now on, always cc Bob on Maya's emails
