// Deutsch. Dieselben Schlüssel wie in `en.js`; die Tests prüfen, dass keiner fehlt.

export default {
  'app.name': 'Sentient',
  'shell.skip': 'Zum Inhalt springen',
  'shell.screens': 'Ansichten',
  'shell.menu': 'Menü',
  'shell.link.closed': 'Keine Verbindung zum Programm. Neuer Versuch läuft …',
  'shell.lost': 'Diese Ansicht konnte nicht geöffnet werden.',
  'shell.retry': 'Noch einmal versuchen',
  'shell.dismiss': 'Schließen',
  'shell.cancel': 'Abbrechen',
  'shell.unanswered': 'Das Programm hat nicht geantwortet. Läuft es noch?',
  'shell.status': 'Das Programm hat mit Status {status} geantwortet.',

  'locked.text': 'Diese Seite braucht den Schlüssel des Programms. Öffne die ganze Adresse, die „sentient serve“ ausgegeben hat, oder füge den Schlüssel hier ein.',
  'locked.token': 'Schlüssel',
  'locked.open': 'Öffnen',
  'locked.refused': 'Das Programm hat diesen Schlüssel nicht angenommen.',

  'busy.chat': 'Antwortet',
  'busy.interactive': 'Arbeitet für dich',
  'busy.task': 'Arbeitet an einer Aufgabe',
  'busy.suggestions': 'Sucht nach Vorschlägen',
  'busy.memory': 'Hält Erinnerungen fest',
  'busy.skills': 'Prüft Fähigkeiten',
  'busy.titles': 'Benennt einen Chat',
  'busy.background': 'Arbeitet im Hintergrund',
  'busy.model': '{model} auf diesem Computer',
  'busy.waiting': { one: '{count} Anfrage wartet', other: '{count} Anfragen warten' },
  'busy.deferred.chat': { one: '{count} Hintergrundarbeit wartet auf deinen Chat', other: '{count} Hintergrundarbeiten warten auf deinen Chat' },
  'busy.deferred.battery': { one: '{count} Hintergrundarbeit wartet auf Netzstrom', other: '{count} Hintergrundarbeiten warten auf Netzstrom' },
  'busy.deferred.battery_low': { one: '{count} Hintergrundarbeit wartet: Der Akku ist fast leer', other: '{count} Hintergrundarbeiten warten: Der Akku ist fast leer' },

  'screen.chat': 'Chat',
};
