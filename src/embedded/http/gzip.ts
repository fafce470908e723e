// Decides which clients accept gzip.

/** Whether `Accept-Encoding` names gzip with a quality above 0. The default quality is 1. */
export function takesGzip(accepted: string | readonly string[] | undefined): boolean {
  return String(accepted ?? '')
    .split(',')
    .some((one) => {
      const [coding = '', ...parameters] = one.split(';').map((part) => part.trim().toLowerCase());
      const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice('q='.length) ?? '1';
      return coding === 'gzip' && /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(quality) && Number(quality) > 0;
    });
}
