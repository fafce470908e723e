// A state of Terraform as `terraform show -json` prints it: modules within modules, attributes as values.
import { isRecord } from '../../core/json.ts';
import { bounded, whyNot, type Instance, type State, type Wrong } from './instance.ts';

/** Terraform itself nests modules no deeper than people write them. */
const depthMax = 64;

/** Only `terraform show -json` writes it. */
export const isShown = (state: Readonly<Record<string, unknown>>): boolean =>
  state['format_version'] !== undefined;

/** @throws UsageError that names the place, what was expected and what was found */
export function shownState(state: Readonly<Record<string, unknown>>, wrong: Wrong): State {
  const { format_version: version, values } = state;
  if (typeof version !== 'string' || !version.startsWith('1.'))
    throw wrong('/format_version', '1.x, as terraform show -json prints it', version);
  // A plan holds wishes; only the state tells what there is.
  const { planned_values: planned } = state;
  if (planned !== undefined)
    throw wrong('/planned_values', 'a state (terraform show -json without a plan)', planned);
  const all = { instances: [] as Instance[], left: [] as State['left'][number][] };
  if (values === undefined) return all; // an empty state
  if (!isRecord(values)) throw wrong('/values', 'an object', values);
  walk(values['root_module'], { place: '/values/root_module', depth: 0, wrong, ...all });
  return all;
}

interface Walk {
  readonly place: string;
  readonly depth: number;
  readonly wrong: Wrong;
  readonly instances: Instance[];
  readonly left: State['left'][number][];
}

function walk(module: unknown, at: Walk): void {
  const { place, depth, wrong } = at;
  if (!isRecord(module)) throw wrong(place, 'an object', module);
  if (depth > depthMax) throw wrong(place, `modules at most ${depthMax} deep`, module);
  const { resources = [], child_modules: children = [] } = module;
  if (!Array.isArray(resources)) throw wrong(`${place}/resources`, 'a list', resources);
  if (!Array.isArray(children)) throw wrong(`${place}/child_modules`, 'a list', children);
  for (const [index, one] of resources.entries()) add(one, { ...at, place: `${place}/resources/${index}` });
  for (const [index, one] of children.entries())
    walk(one, { ...at, place: `${place}/child_modules/${index}`, depth: depth + 1 });
}

function add(one: unknown, { place, wrong, instances, left }: Walk): void {
  if (!isRecord(one)) throw wrong(place, 'an object', one);
  const { address: text, mode, type, values } = one;
  if (typeof text !== 'string') throw wrong(`${place}/address`, 'a text', text);
  if (typeof type !== 'string') throw wrong(`${place}/type`, 'a text', type);
  const address = bounded(text);
  const why = whyNot(mode, one['deposed_key'] !== undefined, one['tainted'] === true);
  if (why !== undefined) return void left.push({ address, why });
  if (!isRecord(values)) throw wrong(`${place}/values`, 'an object', values);
  const marks = isRecord(one['sensitive_values']) ? one['sensitive_values'] : {};
  instances.push({
    address,
    type,
    provider: providerOf(one['provider_name']),
    attributes: values,
    sensitive: new Set(Object.keys(marks).filter((name) => isMarked(marks[name]))),
  });
}

function providerOf(text: unknown): string {
  const found = typeof text === 'string' ? /^[^"/]+\/hashicorp\/([a-z]+)$/.exec(text) : null;
  return found?.[1] ?? '';
}

/** The marks have the shape of the value, with `true` where it is sensitive. */
function isMarked(mark: unknown): boolean {
  if (mark === true) return true;
  return typeof mark === 'object' && mark !== null && Object.values(mark).some(isMarked);
}
