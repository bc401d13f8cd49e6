// English, the language every other file follows. One key per sentence, grouped by where it is shown.

export default {
  // The shell
  'app.name': 'Sentient',
  'shell.skip': 'Skip to the content',
  'shell.screens': 'Screens',
  'shell.menu': 'Menu',
  'shell.link.closed': 'No connection to the engine. Trying again…',
  'shell.lost': 'This screen could not be opened.',
  'shell.retry': 'Try again',
  'shell.dismiss': 'Close',
  'shell.cancel': 'Cancel',
  'shell.unanswered': 'The engine did not answer. Is it still running?',
  'shell.status': 'The engine answered with status {status}.',

  // Without a token
  'locked.text': 'This page needs the token of the engine. Open the whole address that “sentient serve” printed, or paste the token here.',
  'locked.token': 'Token',
  'locked.open': 'Open',
  'locked.refused': 'The engine did not accept this token.',

  // What the local model does
  'busy.chat': 'Answering',
  'busy.interactive': 'Working for you',
  'busy.task': 'Working on a task',
  'busy.suggestions': 'Looking for suggestions',
  'busy.memory': 'Taking memory notes',
  'busy.skills': 'Reviewing skills',
  'busy.titles': 'Naming a chat',
  'busy.background': 'Working in the background',
  'busy.model': '{model} on this computer',
  'busy.waiting': { one: '{count} call waits', other: '{count} calls wait' },
  'busy.deferred.chat': { one: '{count} background job waits for your chat', other: '{count} background jobs wait for your chat' },
  'busy.deferred.battery': { one: '{count} background job waits for mains power', other: '{count} background jobs wait for mains power' },
  'busy.deferred.battery_low': { one: '{count} background job waits: the battery is low', other: '{count} background jobs wait: the battery is low' },

  // Screens
  'screen.chat': 'Chat',
};
