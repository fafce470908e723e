// What an event stream may be like on a bad day. Events are hints: whatever it says or does not say, the lists behind it
// find what there is to do, and nothing is done for its word alone.
import type { ServerResponse } from 'node:http';

export type Stream = (response: ServerResponse) => void;

const names = ['a', 'b', 'c', 'd', 'foreign', 'ghost'];
const everyMs = 50;

const frame = (Type: string, Index: number): string => {
  const event = { Topic: 'CSIVolume', Type, Namespace: 'default', FilterKeys: null, Index };
  return `${JSON.stringify({ Index, Events: names.map((Key) => ({ ...event, Key, Payload: {} })) })}\n`;
};

/** Says one thing after the other, for as long as anybody listens. */
function saying(response: ServerResponse, text: (n: number) => string): void {
  let n = 0;
  response.writeHead(200).write('{}\n');
  const timer = setInterval(() => response.write(text((n += 1))), everyMs);
  response.once('close', () => clearInterval(timer));
}

export const denied: Stream = (response) => response.writeHead(403).end('Permission denied');

export const streams: Readonly<Record<string, Stream>> = {
  denied,
  'accepted, and then silent': (response) => response.writeHead(200).flushHeaders(),
  'nothing but heartbeats': (response) => saying(response, () => '{}\n'),
  'cut at once': (response) => response.writeHead(200).write('{}\n', () => response.destroy()),
  'no frames': (response) => saying(response, () => 'event dropped from buffer\n'),
  'all is gone': (response) => saying(response, (n) => frame('CSIVolumeDeregistered', 1_000_000 + n)),
  'all is new, long ago': (response) => saying(response, (n) => frame('CSIVolumeRegistered', n)),
};
