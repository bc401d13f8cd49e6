// Colours of the window: `ui.theme` and `ui.accent` of the settings, kept in this browser for the first paint of the next
// time. The colours themselves are in `colours.css`.

const THEMES = ['dark', 'light', 'system'];

/** @param {{ theme?: string, accent?: string } | undefined} ui */
export function wear(ui) {
  if (!ui) return;
  const { dataset } = document.documentElement;
  if (ui.theme && THEMES.includes(ui.theme)) keep(dataset, 'theme', ui.theme);
  if (ui.accent) keep(dataset, 'accent', ui.accent);
  const ground = getComputedStyle(document.body).backgroundColor;
  document.querySelector('meta[name="theme-color"]')?.setAttribute('content', ground);
}

/**
 * @param {DOMStringMap} dataset
 * @param {string} name
 * @param {string} value
 */
function keep(dataset, name, value) {
  dataset[name] = value;
  localStorage.setItem(`sentient.${name}`, value);
}
