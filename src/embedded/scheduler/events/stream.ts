import type { DeniedStream } from '../behaviour.ts';
import { Refusal, type Endpoint, type Incoming, type Reply } from '../../http/server.ts';
import type { StreamBody } from '../../http/stream.ts';
import { quoted } from '../../http/error-texts.ts';
import { accessOf } from '../acl/access.ts';
import { get, namespaceOf } from '../http/endpoints.ts';
import type { Broker } from './broker.ts';
import { denied, tokenIn } from '../acl/authorize.ts';
import type { State } from '../state.ts';
import { Subscription, type Topics, type Wanted } from './subscription.ts';

/**
 * Checks its token itself, after the query.
 * @param shape `legacy403`: a denied stream gets 403, and a stream that ends sends its reason after the last frame.
 * `hijack200`, as in Nomad 2: the 200 is sent before the check, a denied stream stays empty, and no reason is sent.
 */
export const eventStream = (state: State, broker: Broker, shape: DeniedStream): Endpoint =>
  get('/v1/event/stream', 'none', (request) => {
    const [index, topics] = [indexIn(request.query), topicsIn(request.query)];
    const problem = objection(state, broker, request, topics);
    const hijacks = shape === 'hijack200';
    if (problem && !hijacks) throw problem;
    const wanted = wantedOf(state, request, topics, index);
    return streaming(hijacks, state.behaviour.packsStream, (out) => {
      if (!problem) new Subscription(broker, state.clock, wanted, out, !hijacks).start();
    });
  });

const streaming = (endsConnection: boolean, packs: boolean, stream: StreamBody['stream']): Reply => ({
  status: 200,
  headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache' },
  body: { stream, endsConnection, packs },
});

function indexIn(query: URLSearchParams): number {
  const text = query.get('index') || '0';
  const refuse = (why: string) =>
    new Refusal(400, `Unable to parse index: strconv.Atoi: parsing ${quoted(text)}: ${why}`);
  if (!/^[-+]?\d+$/.test(text)) throw refuse('invalid syntax');
  if (BigInt(text.replace('+', '')) >= 2n ** 63n) throw refuse('value out of range');
  if (text.startsWith('-')) throw new Refusal(400, 'Invalid index');
  return Number(text);
}

/** `Topic` or `Topic:key`. @throws Refusal 400 */
function topicsIn(query: URLSearchParams): Topics {
  const topics = new Map<string, readonly string[]>();
  for (const text of query.has('topic') ? query.getAll('topic') : ['*:*']) {
    const [topic = '', key = '*', ...more] = text.split(':');
    if (more.length > 0) {
      const why = `Invalid key value pair for topic, topic: ${text}`;
      throw new Refusal(400, `Invalid topic query: error parsing topics: ${why}`);
    }
    topics.set(topic, [...(topics.get(topic) ?? []), key]);
  }
  return topics;
}

function objection(state: State, broker: Broker, request: Incoming, topics: Topics): Refusal | undefined {
  if (!isAllowed(state, request, topics)) return denied();
  return broker.isOn ? undefined : new Refusal(500, 'EventBroker not configured');
}

function isAllowed(state: State, request: Incoming, topics: Topics): boolean {
  const access = accessOf(state, tokenIn(state, request.headers));
  if (!access) return false;
  const needs = [...topics.keys()].map((topic) => state.behaviour.topicRights.get(topic) ?? 'management');
  return namespacesIn(state, request).every((one) => needs.every((acl) => access.may(acl, one)));
}

/** The namespaces of the query; `*` stands for those that exist now. */
function namespacesIn(state: State, { query }: Incoming): readonly string[] {
  const asked = namespaceOf(query);
  return asked === '*' ? Array.from(state.namespaces.rows(), ({ Name }) => Name) : [asked];
}

const wantedOf = (state: State, request: Incoming, topics: Topics, index: number): Wanted => ({
  topics,
  index,
  keysAddUp: state.behaviour.keysAddUp,
  replaysNewest: state.behaviour.replaysNewest,
  namespaces: namespacesIn(state, request),
  isAllowed: () => isAllowed(state, request, topics),
  isKnown: () => accessOf(state, tokenIn(state, request.headers)) !== undefined,
});
