// What the program draws at random, so that no two runs have the same: UIDs, what names of disks hold, IDs of what is about
// to be destroyed. Two runs are compared without it.

const drawn = /\b(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{20})\b/g;

/** A copy in which the first that was drawn is `drawn 1` wherever it stands, the second `drawn 2`, and so on. */
export function undrawn<T>(value: T): T {
  const seen: string[] = [];
  const text = JSON.stringify(value).replaceAll(drawn, (one) => {
    if (!seen.includes(one)) seen.push(one);
    return `drawn ${seen.indexOf(one) + 1}`;
  });
  return JSON.parse(text);
}
