// Finds external objects that no manifest declares, and exports them as manifests.
import { oneLine } from '../../api/http/request.ts';
import {
  manifestsOf,
  survey,
  type Left,
  type Manifest,
  type Survey,
  type SurveyOptions,
  type Unmanaged,
} from '../../controller/discovery.ts';
import { apiVersion } from '../../schema/declaration.ts';
import { yamlText } from '../../schema/yaml-text.ts';
import type { Problem } from '../../core/text/problem.ts';
import { declaredIn, forecastsOf, type DirectoryOptions } from '../dry-run.ts';
import type { ClusterOptions } from '../kubernetes/cluster.ts';
import { problemOf } from '../kinds/lookup.ts';

export interface Discoveries extends Pick<Survey, 'failed' | 'empty'> {
  readonly unmanaged: readonly Unmanaged[];
  /** Of the declarations: what can't be used declares something, and is listed all the same. */
  readonly problems: readonly Problem[];
}

export interface Exports extends Discoveries {
  /** Valid YAML. */
  readonly documents: readonly string[];
  readonly left: readonly Left[];
}

const instead = 'what is outside can be declared in any of them';

/** @param of a directory or a cluster @throws as a dry run */
export function unmanagedIn(
  of: string | ClusterOptions,
  options: SurveyOptions & DirectoryOptions,
  signal: AbortSignal,
): Promise<Discoveries> {
  return declaredIn(of, { ...options, instead }, signal, async (ports, { problems }) => {
    await forecastsOf(ports, signal);
    return { ...(await survey(ports, options, signal)), problems };
  });
}

/** @param into namespace of the manifests @throws as a dry run */
export function exportOf(
  of: string | ClusterOptions,
  { into, ...options }: SurveyOptions & DirectoryOptions & { readonly into: string },
  signal: AbortSignal,
): Promise<Exports> {
  return declaredIn(of, { ...options, instead }, signal, async (ports, { problems }) => {
    await forecastsOf(ports, signal);
    const found = await survey(ports, options, signal);
    const { manifests, left } = await manifestsOf(found, into, ports, signal);
    const judged = manifests.map((manifest) => ({
      manifest,
      problem: problemOf(manifest.key.kind, manifest.spec),
    }));
    const invalid = judged.flatMap(({ manifest: { key, spec }, problem }): Left[] =>
      problem ? [{ kind: key.kind, name: outside(key, spec), why: problem.message }] : [],
    );
    return {
      ...found,
      problems,
      documents: judged.flatMap(({ manifest, problem }) => (problem ? [] : [documentOf(manifest)])),
      left: [...left, ...invalid],
    };
  });
}

/** What it is called where it is: the object's own name is made from that, and is nowhere. */
const outside = ({ name }: Manifest['key'], { externalName }: Manifest['spec']): string =>
  typeof externalName === 'string' ? externalName : name;

/** The manifest as YAML. Comments in it tell what a person has to add. */
export const documentOf = ({ key: { kind, namespace, name }, spec, notes }: Manifest): string => {
  const comments = notes.map((note) => `# ${oneLine(note)}\n`).join('');
  return `---\n${comments}${yamlText({ apiVersion, kind, metadata: { name, namespace }, spec })}`;
};
