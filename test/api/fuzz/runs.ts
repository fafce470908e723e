// How long the fuzz tests go on: shortly in `npm test`, as long as one likes with FUZZ_RUNS=<runs of each property>.
// A failure names its seed: `fc.assert(…, { seed, path })` plays it again.
import fc from 'fast-check';

const wanted = Number(process.env['FUZZ_RUNS']) || undefined;

export const runs = (usual: number): { readonly numRuns: number } => ({ numRuns: wanted ?? usual });

/** Of a test. */
export const patience = { timeout: wanted === undefined ? 20_000 : 3_600_000 };

/** What means something to JavaScript, to us or to nobody. */
const text = fc.oneof(
  fc.constantFrom(
    '',
    '__proto__',
    'constructor',
    'toString',
    'valueOf',
    'length',
    'then',
    'toJSON',
    'NextToken',
  ),
  fc.constantFrom(
    'ID',
    'Allocations',
    'errors',
    'warnings',
    'data',
    'auth',
    'keys',
    'client_token',
    'sealed',
    'Env',
  ),
  fc.string({ unit: 'binary', maxLength: 8 }),
);

/** Whatever JSON there is, as text: names twice, numbers of any size, names of what every object has. */
export const jsonText: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(
      fc.constantFrom(
        'null',
        'true',
        'false',
        '0',
        '-0',
        '1e400',
        '-1e999',
        '9007199254740993',
        '0.1',
        '""',
        '[]',
        '{}',
      ),
      fc.integer().map(String),
      text.map((one) => JSON.stringify(one)),
    ),
    fc.array(tie('value'), { maxLength: 4 }).map((parts) => `[${parts.join()}]`),
    fc
      .array(fc.tuple(text, tie('value')), { maxLength: 4 })
      .map((parts) => `{${parts.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`),
  ),
})).value;
