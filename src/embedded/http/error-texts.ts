/** The text of several errors, as hashicorp/go-multierror formats it. */
export function multiError(messages: readonly string[]): string {
  const head = messages.length === 1 ? '1 error occurred:' : `${messages.length} errors occurred:`;
  return `${head}\n${messages.map((message) => `\t* ${message}\n`).join('')}\n`;
}

/** A size as dustin/go-humanize formats it: `83 MB`, `1.2 GB`. */
export function humanBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB'];
  if (bytes < 10) return `${bytes} B`;
  const power = Math.min(Math.floor(Math.log(bytes) / Math.log(1000)), units.length - 1);
  const value = Math.floor((bytes / 1000 ** power) * 10 + 0.5) / 10;
  return `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ${units[power] ?? ''}`;
}

/** Go's `%q`, for plain text. */
export const quoted = (text: string): string => JSON.stringify(text);
