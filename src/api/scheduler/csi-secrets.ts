// Plugin secrets in a header: `a=1,b=2`, without escaping (services.md#csi-secrets-header).
import { ApiError } from '../../core/errors.ts';
import { reveal, type Secret } from '../../core/secret.ts';

const fittingKey = /^[!-+\-.-<>-~]{1,253}$/; // printable, neither `,` nor `=`
const fittingValue = /^(?:[ -+\--~]*[!-+\--~])?$/; // as above, but may hold `=`, and spaces except at the end

/**
 * @param leavesOut whether to skip a secret that a header can't hold, instead of refusing it
 * @returns `undefined` if there is no secret to send
 * @throws ApiError that names the key and never the value
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
