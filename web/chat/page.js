// The controls of the chat screen, as elements. What they do is wired in `screen.js` and the files beside it.

import { element } from '../shell/dom.js';
import { icon } from '../shell/icons.js';
import { t } from '../text/index.js';

const iconButton = (id, picture, label, more = {}) =>
  element('button', { id, type: 'button', class: 'icon-button', 'aria-label': label, title: label, ...more }, icon(picture));

/** The name of the chat and what can be done with it, for the title bar. */
export function heading() {
  return [
    iconButton('show-chats', 'panel-left', t('chat.list'), { class: 'icon-button only-narrow', 'aria-expanded': 'false', 'aria-controls': 'chats' }),
    element('h1', { id: 'title' }, t('chat.new')),
    element(
      'form',
      { id: 'rename-form', class: 'rename', hidden: true },
      element('label', { class: 'unseen', for: 'new-title' }, t('chat.rename.field')),
      element('input', { id: 'new-title', type: 'text', maxlength: 120, autocomplete: 'off' }),
      element('button', { class: 'primary', type: 'submit' }, t('chat.rename.save')),
      element('button', { id: 'keep-title', type: 'button' }, t('shell.cancel')),
    ),
    element(
      'div',
      { id: 'chat-actions', class: 'actions', hidden: true },
      iconButton('rename', 'pencil', t('chat.rename')),
      iconButton('delete', 'trash', t('chat.delete')),
    ),
    element('span', { class: 'space' }),
    element('button', { id: 'show-helpers', type: 'button', class: 'helpers-button', hidden: true, 'aria-expanded': 'false', 'aria-controls': 'helper-panel' }, icon('bot'), element('span', { id: 'helpers-count' })),
    element('button', { id: 'chat-model', type: 'button', class: 'model-button', 'aria-haspopup': 'dialog' }, icon('cpu'), element('span', { id: 'chat-model-name' }), icon('chevron-down')),
  ];
}

/** The list of chats, the conversation, and its helpers beside it. */
export function page() {
  return [list(), conversation(), helpers()];
}

function list() {
  return element(
    'nav',
    { id: 'chats', class: 'chats', 'aria-label': t('chat.list') },
    element('div', { class: 'chats-top' },
      element('button', { id: 'new-chat', type: 'button' }, icon('square-pen'), t('chat.new')),
      iconButton('search-chats', 'search', t('chat.search'))),
    element('div', { id: 'chat-list' }),
    element('p', { id: 'no-chats', class: 'quiet', hidden: true }, t('chat.list.empty')),
  );
}

function conversation() {
  return element(
    'main',
    { class: 'talk', tabindex: -1 },
    element('div', { class: 'talk-top' },
      element(
        'section',
        { id: 'hint', class: 'hint', 'aria-label': t('chat.model'), hidden: true },
        element('p', { id: 'hint-text' }),
        element(
          'form',
          { id: 'pick-model', hidden: true },
          element('label', { for: 'model' }, t('chat.model')),
          element('select', { id: 'model' }),
          element('button', { type: 'submit' }, t('chat.model.use')),
        ),
      ),
      element('p', { id: 'incognito-note', class: 'incognito-note', hidden: true }, icon('ghost'), element('span', {}, t('chat.incognito.note')))),
    element('div', { id: 'log', class: 'log', role: 'log', 'aria-label': t('chat.conversation'), 'aria-live': 'off', tabindex: 0 },
      element('div', { class: 'greeting' }, element('p', {}, t('chat.greeting')), element('p', { class: 'quiet' }, t('chat.greeting.more')))),
    element('button', { id: 'to-end', type: 'button', class: 'to-end', 'aria-label': t('chat.toEnd'), title: t('chat.toEnd'), hidden: true }, icon('arrow-down')),
    element('p', { id: 'news', class: 'unseen', role: 'status' }),
    composer(),
    element('div', { id: 'drop', class: 'drop', hidden: true, 'aria-hidden': 'true' }, icon('paperclip'), t('chat.drop')),
  );
}

function helpers() {
  return element(
    'aside',
    { id: 'helper-panel', class: 'helper-panel', 'aria-labelledby': 'helpers-title', hidden: true },
    element('div', { class: 'row' },
      element('h2', { id: 'helpers-title', tabindex: -1 }, t('helpers.title')),
      element('span', { class: 'space' }),
      element('button', { id: 'stop-helpers', type: 'button', class: 'small', hidden: true }, icon('square'), t('helpers.stopall')),
      iconButton('close-helpers', 'x', t('shell.dismiss'))),
    element('p', { id: 'no-helpers', class: 'quiet' }, t('helpers.none')),
    element('ul', { id: 'helper-list' }),
  );
}

function composer() {
  return element(
    'form',
    { id: 'composer', class: 'composer' },
    element('p', { id: 'problem', class: 'problem', role: 'alert' }),
    element(
      'div',
      { class: 'box' },
      element('ul', { id: 'attachments', class: 'chips', 'aria-label': t('chat.attached'), hidden: true }),
      element('label', { class: 'unseen', for: 'message' }, t('chat.message')),
      element('textarea', { id: 'message', rows: 1, placeholder: t('chat.write'), 'aria-describedby': 'keys' }),
      element(
        'div',
        { class: 'row tools-row' },
        iconButton('attach', 'paperclip', t('chat.attach')),
        element('input', { id: 'files', class: 'unseen', type: 'file', multiple: true, tabindex: -1, 'aria-label': t('chat.attach.files') }),
        element('button', { id: 'incognito', type: 'button', class: 'icon-button', 'aria-pressed': 'false', 'aria-label': t('chat.incognito'), title: t('chat.incognito.why') }, icon('ghost')),
        element('span', { class: 'space' }),
        meter(),
        iconButton('stop', 'square', t('chat.stop'), { class: 'round stop', hidden: true }),
        element('button', { id: 'send', class: 'round primary', type: 'submit', 'aria-label': t('chat.send'), title: t('chat.send') }, icon('arrow-up')),
      ),
    ),
    element('p', { id: 'keys', class: 'keys quiet' }, t('chat.keys')),
    element('p', { id: 'context-warning', class: 'notice', role: 'status', hidden: true }),
  );
}

/** How full the model's context is; more of it, and what it cost, on a press. */
function meter() {
  return element(
    'button',
    { id: 'context', type: 'button', class: 'context quiet', hidden: true, 'aria-haspopup': 'dialog' },
    element('meter', { id: 'context-meter', min: 0, max: 100, low: 84, high: 94, optimum: 0, 'aria-labelledby': 'context-label' }),
    element('span', { id: 'context-label' }),
  );
}
