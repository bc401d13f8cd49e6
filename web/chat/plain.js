// Characters nobody sees can make a name or an address read as another one. Where the person decides by what they read,
// they are written out. Joiners stay: languages and pictures are written with them.

const UNSEEN = /[\u202a-\u202e\u2066-\u2069\u200b\u2060\ufeff\u00ad\u{e0000}-\u{e007f}]/gu;

/** `report\u202efdp.exe` as `report[U+202E]fdp.exe`. @param {string} text */
export const plainly = (text) => text.replace(UNSEEN, (letter) => `[U+${letter.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}]`);
