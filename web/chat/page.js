// The controls of the chat screen, as elements. What they do is wired in `screen.js` and the files beside it.

import { element } from '../shell/dom.js';

/** The name of the chat and what can be done with it, for the title bar. */
export function heading() {
  const field = element('input', { id: 'new-title', type: 'text', maxlength: 120, autocomplete: 'off' });
  return [
    element('button', { id: 'show-chats', class: 'only-narrow', type: 'button', 'aria-expanded': 'false', 'aria-controls': 'chats' }, 'Chats'),
    element('h1', { id: 'title' }, 'New chat'),
    element(
      'form',
      { id: 'rename-form', class: 'rename', hidden: true },
      element('label', { class: 'unseen', for: 'new-title' }, 'Name of this chat'),
      field,
      element('button', { class: 'primary', type: 'submit' }, 'Save name'),
      element('button', { id: 'keep-title', type: 'button' }, 'Cancel'),
    ),
    element(
      'div',
      { id: 'chat-actions', class: 'actions', hidden: true },
      element('button', { id: 'rename', type: 'button' }, 'Rename'),
      element('button', { id: 'delete', type: 'button' }, 'Delete'),
    ),
  ];
}

/** The list of chats, the conversation, and the question before a chat is deleted. */
export function page() {
  return [list(), conversation(), deletion()];
}

function list() {
  return element(
    'nav',
    { id: 'chats', class: 'chats', 'aria-label': 'Chats' },
    element('button', { id: 'new-chat', type: 'button' }, 'New chat'),
    element('ul', { id: 'chat-list' }),
    element('p', { id: 'no-chats', class: 'quiet', hidden: true }, 'Your chats will be listed here.'),
  );
}

function conversation() {
  return element(
    'main',
    { class: 'talk', tabindex: -1 },
    element(
      'section',
      { id: 'hint', class: 'hint', 'aria-label': 'Model', hidden: true },
      element('p', { id: 'hint-text' }),
      element(
        'form',
        { id: 'pick-model', hidden: true },
        element('label', { for: 'model' }, 'Model'),
        element('select', { id: 'model' }),
        element('button', { type: 'submit' }, 'Use this model'),
      ),
    ),
    element('div', { id: 'log', class: 'log', role: 'log', 'aria-label': 'Conversation', 'aria-live': 'polite', tabindex: 0 }),
    element('p', { id: 'news', class: 'unseen', role: 'status' }),
    composer(),
  );
}

function composer() {
  return element(
    'form',
    { id: 'composer', class: 'composer' },
    element('ul', { id: 'attachments', class: 'chips', 'aria-label': 'Attached files', hidden: true }),
    element('label', { class: 'unseen', for: 'message' }, 'Message'),
    element('textarea', { id: 'message', rows: 2, placeholder: 'Write a message', 'aria-describedby': 'keys' }),
    element(
      'div',
      { class: 'row' },
      element('label', { class: 'button', for: 'files' }, 'Attach'),
      element('input', { id: 'files', class: 'unseen', type: 'file', multiple: true, 'aria-label': 'Attach files' }),
      element('span', { id: 'keys', class: 'quiet' }, 'Enter sends, Shift+Enter starts a new line'),
      element('span', { class: 'space' }),
      element('button', { id: 'stop', class: 'stop', type: 'button', hidden: true }, 'Stop'),
      element('button', { id: 'send', class: 'primary', type: 'submit' }, 'Send'),
    ),
    element(
      'div',
      { id: 'context', class: 'context quiet', hidden: true },
      element('label', { id: 'context-label', for: 'context-meter' }),
      element('meter', { id: 'context-meter', min: 0, max: 100, low: 84, high: 94, optimum: 0 }),
      element('span', { id: 'context-warning', role: 'status' }),
    ),
    element('p', { id: 'problem', class: 'problem', role: 'alert' }),
  );
}

function deletion() {
  return element(
    'dialog',
    { id: 'delete-dialog', class: 'dialog', 'aria-labelledby': 'delete-question' },
    element('p', { id: 'delete-question' }),
    element(
      'div',
      { class: 'row' },
      element('button', { id: 'keep', type: 'button' }, 'Keep'),
      element('button', { id: 'delete-yes', class: 'stop', type: 'button' }, 'Delete chat'),
    ),
  );
}
