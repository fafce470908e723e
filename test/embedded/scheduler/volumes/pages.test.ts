// Pages of volumes: together they are the list, whatever namespaces and volumes are called.
import { expect, onTestFinished, test } from 'vitest';
import { schedulerDialects, type SchedulerDialectName } from '../../../../src/api/dialects.ts';
import { create, running } from '../running.ts';

const dialects: readonly SchedulerDialectName[] = ['cluster', 'nomad'];
const sizes = [1, 2, 3, 4];
const cases = dialects.flatMap((dialect) => sizes.map((size) => ({ dialect, size })));

test.for(cases)(
  'in $dialect pages of $size have each volume once, also where one namespace is named like the start of another',
  async ({ dialect, size }) => {
    const here = await running({ dialect });
    onTestFinished(here.stop);
    const { client } = here;
    const places = ['prod', 'prod-eu'].flatMap((space) =>
      ['a', 'b', 'x\ny', 'データ'].map((id) => ({ space, id })),
    );
    for (const name of ['prod', 'prod-eu']) await client.post('/setup/namespaces', { name });
    for (const { space, id } of places)
      await create(client, encodeURIComponent(id), { ID: id, Name: `${space}-${id}`, Namespace: space });
    const seen: unknown[] = [];
    let token: string | undefined = '';
    for (let page = 0; token !== undefined && page < 10; page++) {
      const at = new URLSearchParams({ type: 'csi', namespace: '*', per_page: `${size}`, next_token: token });
      const answer = await client.get(`/v1/volumes?${at.toString()}`);
      for (const { Namespace, ID } of JSON.parse(answer.text)) seen.push({ space: Namespace, id: ID });
      const next: string | undefined = answer.header(schedulerDialects[dialect].headers.nextToken);
      token = next === undefined ? undefined : Buffer.from(next, 'latin1').toString(); // as Go writes it
    }
    expect(seen).toEqual(places);
  },
);
