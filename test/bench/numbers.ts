// Numbers among the arguments.

/** @throws Error that names the option */
export function whole(name: string, text: string, min: number): number {
  if (/^\d{1,6}$/.test(text) && Number(text) >= min) return Number(text);
  throw new Error(`--${name}: expected a whole number from ${min} to 999999, got ${text}`);
}

/** Some, with commas in between. @throws Error that names the option */
export const wholes = (name: string, text: string, min: number): readonly number[] =>
  text.split(',').map((one) => whole(name, one, min));

/** One for each of so many columns; a single one holds for all. @throws Error that names the option */
export function wholePer(columns: number, name: string, text: string, min: number): readonly number[] {
  const found = wholes(name, text, min);
  if (found.length === columns) return found;
  if (found.length === 1) return Array.from({ length: columns }, () => found[0] ?? min);
  throw new Error(`--${name}: expected one number, or ${columns} with commas in between, got ${text}`);
}
