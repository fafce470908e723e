import { afterAll, expect, test } from 'vitest';
import { Thread, ThreadLost } from '../../../../src/sources/directory/threads/thread.ts';
import type { YamlQuestion } from '../../../../src/sources/directory/threads/yaml-questions.ts';

const thread = (deadlineMs: number): Thread<YamlQuestion, string> => {
  const made = new Thread<YamlQuestion, string>({ program: 'yaml-thread', deadlineMs });
  afterAll(() => made.end());
  return made;
};

const parse = (text: string): YamlQuestion => ({ text, documentsMax: 10 });
/** Takes seconds. */
const endless = parse(`${'&a '.repeat(80_000)}\n---\n`.repeat(20));

test('a thread answers in the order in which it was asked', async () => {
  const asked = thread(10_000);
  const answers = await Promise.all(['a', 'b', 'c'].map((text) => asked.ask(parse(text))));
  expect(answers.map((answer) => JSON.parse(answer)[0].value)).toEqual(['a', 'b', 'c']);
});

test(
  'a question that takes too long costs its own answer: those behind it are asked of a new thread',
  { timeout: 30_000 },
  async () => {
    const asked = thread(3_000); // the start of a thread counts
    const [lost, ...others] = await Promise.allSettled(
      [endless, parse('b'), parse('c')].map((q) => asked.ask(q)),
    );
    expect(lost).toMatchObject({ status: 'rejected', reason: new ThreadLost('no answer within 3 s') });
    expect(others).toMatchObject([{ status: 'fulfilled' }, { status: 'fulfilled' }]);
  },
);

test('a thread that was ended leaves no question open, and starts again when it is asked', async () => {
  const asked = thread(10_000);
  const questions = [asked.ask(endless), asked.ask(parse('b'))];
  const results = Promise.allSettled(questions);
  await asked.end();
  expect(await results).toMatchObject([
    { reason: { name: 'ThreadLost' } },
    { reason: { name: 'ThreadLost' } },
  ]);
  expect(asked.running).toBe(false);
  await expect(asked.ask(parse('c'))).resolves.toContain('"c"');
});

test('a program that throws costs one answer, and says why', async () => {
  const asked = thread(10_000);
  // @ts-expect-error -- not a question: the program can't read it
  await expect(asked.ask({})).rejects.toThrow(ThreadLost);
  await expect(asked.ask(parse('b'))).resolves.toContain('"b"');
});
