// docs/reference/annotations.md: what can be asked of an object, as the kinds declare it, and the other names under our prefix.
import { expired, generatedBy } from '../../src/core/effect.ts';
import { commonRequests, requestPrefix, type RequestDeclaration } from '../../src/core/source/request.ts';
import { registry } from '../../src/kinds/registry.ts';
import { code, generatedFrom, table } from './markdown.ts';

export const annotationsPage = 'docs/reference/annotations.md';

const row = (kind: string, { name, help, once, command }: RequestDeclaration): readonly string[] => [
  kind,
  code(name),
  `${help[0]?.toUpperCase()}${help.slice(1)}.`,
  once ? 'once for each value' : '',
  command ? code(`holdfast ${command.name}`) : '',
];

/** A test looks for all that src has. */
export const others: readonly (readonly [name: string, on: string, meaning: string])[] = [
  [
    'approve',
    'annotation of a connection, by a person',
    'Digest of the deletions or replacements to allow, or several, separated by commas; `holdfast approve` sets it.',
  ],
  [
    'watch',
    'label of a Secret, by a person',
    '`Enabled`: a change of the Secret is seen at once, not only at the next visit.',
  ],
  [
    'finalizer',
    'finalizer of an object',
    'Holds a deleted object until what is outside is released or removed.',
  ],
  [
    'in-use-protection',
    'finalizer of an object',
    'Holds a deleted object that is only observed until nobody uses it any more.',
  ],
  [
    'intent',
    'annotation of an object',
    'Whose the finalizer is, and what is about to be done. A copy or a restored object is known by it: leave it.',
  ],
  [
    'metrics',
    'label of a namespace, by a person',
    '`Enabled`: its pods may read the metrics, where the network policy of `deploy/kustomize` is in force.',
  ],
  [
    generatedBy,
    'annotation of an object',
    'The object that declares this one, such as the schedule of a snapshot.',
  ],
  ['schedule', 'label of an object', 'Name of the schedule that declares it, to select by.'],
  ['scheduled-at', 'annotation of an object', 'The time that the schedule made it for.'],
  ['drill', 'annotation of an object', 'The time at which the restore drill began that it was made for.'],
  [expired, 'annotation of an object', 'Which decision of its schedule lets it go.'],
  ['owner', 'annotation of a published Secret', 'The object that publishes it.'],
  ['owner-uid', 'annotation of a published Secret', 'The UID of that object.'],
  ['revision', 'annotation of a published Secret', 'The rotation that its values are from.'],
  ['digest', 'annotation of a published Secret', 'Tells whether somebody else wrote it.'],
  [
    'restarted-for',
    'annotation of a pod template, followed by a dot and the UID of a role',
    'The rotation for which the pods were replaced.',
  ],
];

export const annotationsText = (): string =>
  [
    '# Annotations',
    '',
    generatedFrom('the kinds'),
    '',
    '## Requests',
    '',
    'A request asks something of one object besides its spec. In Git it is an annotation, `holdfast.dev/<request>: <value>`; the',
    'command, where there is one, asks the running operator, and in a cluster sets the annotation. A request that stands when',
    'an object is first seen counts as answered. After an earlier state was restored, what is done once for each value is not',
    'done again.',
    '',
    'What counts at a deletion (`force-orphan`, `abandon-root`) is refused by the command before that. In Git, or on Kubernetes, the',
    'annotation may stand before: it counts at the deletion, until somebody takes it away. `retention-hold` keeps what a schedule made; on any',
    'other object it keeps nothing, and the command and the admission policy refuse it; of a manifest, `holdfast validate` warns. `describe`',
    'shows what stands. `holdfast validate` also warns of a request that the kind does not have, such as a misspelt one, of a `suspend` that',
    'says neither `true` nor `false`: it suspends nothing, and of an `adopt` that does not say `IfIdentical`. `plan`, `diff`, `apply`, `dev` and',
    'the log of `run` warn of these, too. On Kubernetes the API server warns as they are made: by `kubectl`, at once.',
    '',
    ...table(
      ['Kind', 'Request', 'What it asks', 'Done', 'Command'],
      [
        ...commonRequests.map((request) => row('each', request)),
        ...registry.flatMap(({ kind }) => kind.requests.map((request) => row(code(kind.name), request))),
      ],
    ),
    '',
    '## Other names',
    '',
    'These are for Kubernetes, where nothing else is said. Where nobody is named, Holdfast writes them.',
    '',
    ...table(
      ['Name', 'On', 'What it says'],
      others.map(([name, on, meaning]) => [code(requestPrefix + name), on, meaning]),
    ),
    '',
  ].join('\n');
