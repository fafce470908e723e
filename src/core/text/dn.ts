// Distinguished names as directories compare them: letter case, and spaces around separators, have no meaning (RFC 4514, RFC
// 4518). What is escaped is part of a value, whichever way it is escaped. PURE.

/** `\2C` and `\,` are the same comma. Other bytes stay in hexadecimal: they may be a part of one character. */
function unhexed(whole: string, hex: string): string {
  const character = String.fromCodePoint(Number.parseInt(hex, 16));
  return ' "#+,;<=>\\'.includes(character) ? `\\${character}` : whole;
}

/** The same text for the same name. */
export const foldedDN = (dn: string): string =>
  dn
    .trim()
    .toLowerCase()
    .replaceAll(/\\([0-9a-f]{2})/g, unhexed)
    .replaceAll(/(\\.)|\s*([,+])\s*/g, '$1$2')
    .replaceAll(/(^|\\.|[,+])([-.0-9a-z]+)\s*=\s*/g, (whole, before: string, type: string) =>
      before.startsWith('\\') ? whole : `${before}${type}=`,
    );

/** Whether both are the name of one entry. */
export const isSameDN = (a: unknown, b: unknown): boolean =>
  typeof a === 'string' && typeof b === 'string' && (a === b || foldedDN(a) === foldedDN(b));

/** Whether an entry of this name is found below `base` by the value of an attribute: what names it, it has. */
export function isFoundAs(
  dn: string,
  { base, attribute, value }: Readonly<Record<'base' | 'attribute' | 'value', string>>,
): boolean {
  const folded = foldedDN(dn);
  const at = foldedDN(base);
  const [first = ''] = /^(?:\\.|[^,\\])*/.exec(folded) ?? [];
  const named = first.match(/(?:\\.|[^+\\])+/g) ?? [];
  const wanted = `${attribute}=${value}`.toLowerCase();
  const isNamed = named.some((one) => one.replaceAll(/\\([^0-9a-f])/g, '$1') === wanted);
  return isNamed && (at === '' || folded === at || folded.endsWith(`,${at}`));
}
