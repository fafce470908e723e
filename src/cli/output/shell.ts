// Writes a word as a shell reads it back, for commands that people copy.
const plain = /^[\w@%+=:,./-]+$/;

export const shellWord = (text: string): string =>
  plain.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
