// One thing is not "1 things".
import { expect, test } from 'vitest';
import { counted } from '../../../src/core/text/count.ts';

test.for([
  [0, '0 objects'],
  [1, '1 object'],
  [2, '2 objects'],
] as const)('%s of them: %s', ([n, text]) => expect(counted(n, 'object')).toBe(text));
