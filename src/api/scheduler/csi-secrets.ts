// Secrets for a plugin in a header: `a=1,b=2`, where nothing can be escaped (wire.md 2.5).
import { ApiError } from '../../core/errors.ts';
import { reveal, type Secret } from '../../core/secret.ts';

const fittingKey = /^[!-+\-.-<>-~]{1,253}$/; // printable, neither `,` nor `=`
const fittingValue = /^(?:[ -+\--~]*[!-+\--~])?$/; // the same with `=` and spaces, but none at the end: it would get lost

/**
 * @param leavesOut what can't be sent is not; otherwise it is refused.
 * @returns `undefined` where nothing is to be sent. @throws ApiError that names the key and never the value
 */
export function secretsHeader(
  op: string,
  secrets: Readonly<Record<string, Secret>>,
  leavesOut: boolean,
): string | undefined {
  const pieces: string[] = [];
  for (const [key, secret] of Object.entries(secrets)) {
    const value = reveal(secret);
    if (fittingKey.test(key) && fittingValue.test(value)) pieces.push(`${key}=${value}`);
    else if (!leavesOut) {
      const why =
        "can't be sent in a header: expected printable characters without commas, in the key no `=`, in the value no space at its end";
      throw new ApiError('refused', 'InvalidSecret', `${op}: secret ${JSON.stringify(key)}: ${why}`);
    }
  }
  return pieces.length > 0 ? pieces.join(',') : undefined;
}
