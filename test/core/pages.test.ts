// A list that is cut off, or never ends, must not pass for the whole.
import { expect, test } from 'vitest';
import { pagesOf } from '../../src/core/pages.ts';

/** @param next token of the next page; `nothing`: no answer */
async function all(next: (token: string | undefined) => string | undefined) {
  const asked: (string | undefined)[] = [];
  const replies: number[] = [];
  const ask = ({ next_token: token }: { readonly next_token?: string }) => {
    asked.push(token);
    const nextToken = next(token);
    return Promise.resolve(nextToken === 'nothing' ? undefined : { reply: asked.length, nextToken });
  };
  for await (const reply of pagesOf('volume.list', ask)) replies.push(reply);
  return { asked, replies };
}

test('pages are asked for until there is no token', async () => {
  const found = await all(
    (token) => ({ first: 'second', second: undefined })[token ?? ''] ?? (token ? undefined : 'first'),
  );
  expect(found).toEqual({ asked: [undefined, 'first', 'second'], replies: [1, 2, 3] });
});

test('a token that comes again, tokens without end and an answer of nothing are errors', async () => {
  await expect(all((token) => (token === 'a' ? 'b' : 'a'))).rejects.toThrow(
    'volume.list: its pages never end',
  );
  let count = 0;
  await expect(all(() => `t${count++}`)).rejects.toThrow('volume.list: its pages never end');
  expect(count).toBe(1_000);
  await expect(all((token) => (token === undefined ? 'a' : 'nothing'))).rejects.toThrow(
    'volume.list: nothing answers',
  );
});
