# The person writes in Hindi; the memory keeps their language and is recalled by it.
set assistant.user_name "Maya"
set memory.extract_after_turn true
user मेरी बहन प्रिया दिल्ली में रहती है और नर्स है।
model अच्छा।
model {"facts": ["माया की बहन प्रिया दिल्ली में रहती है", "माया की बहन रिया नर्स है"]}
done अच्छा।
wait 10s
remembers माया की बहन प्रिया दिल्ली में रहती है
set memory.extract_after_turn false
chat
user मेरी बहन प्रिया कहाँ रहती है?
model दिल्ली में।
done दिल्ली में।
source prompt माया की बहन प्रिया दिल्ली में रहती है
