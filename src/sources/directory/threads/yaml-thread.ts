// The program of the threads that parse YAML: text in, documents out as one JSON text. Hostile text blocks only such a
// thread, never the event loop.
import { parentPort } from 'node:worker_threads';
import { answer, type YamlQuestion } from './yaml-questions.ts';

parentPort?.on('message', (question: YamlQuestion) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(answer(question));
});
