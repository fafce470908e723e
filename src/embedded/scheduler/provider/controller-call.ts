// Checks calls of a plugin's controller, and wraps its errors for the client (services.md#plugins).
import type { Capability } from '../../../api/scheduler/wire.ts';
import { Refusal } from '../../http/server.ts';
import type { TextMap } from '../store/job.ts';
import type { ControllerCapability, PluginRow } from '../store/model.ts';
import { quoted } from '../../http/error-texts.ts';

/** Fails a call with the plugin's error, wrapped as the client gets it. */
export type Fail = (text: string) => never;

/** A plugin's error as gRPC prints it. */
export const rpc = (code: string, what: string): string => `rpc error: code = ${code} desc = ${what}`;

const internalError =
  'controller plugin returned an internal error, check the plugin allocation logs for more information';

type Verb = 'create' | 'delete' | 'expand' | 'list' | 'validate';
type What = `${Verb} volume` | 'list volumes' | `${Verb} snapshot` | 'list snapshots';

/**
 * @param secrets `undefined`: the call takes none
 * @throws Refusal 500 if no controller can take the call, or the plugin is set to fail
 */
export function controllerCall(
  plugin: PluginRow,
  what: What,
  capability: ControllerCapability | undefined,
  secrets: TextMap | undefined,
): Fail {
  const method = what.replaceAll(/(?:^| )[a-z]/g, (first) => first.trim().toUpperCase());
  const fail: Fail = (text) => {
    throw new Refusal(500, `controller ${what}: CSI.Controller${method}: ${text}`);
  };
  if (plugin.ControllersHealthy === 0) {
    const text = `failed to find clients running controller plugin ${quoted(plugin.ID)}`;
    throw new Refusal(500, `controller ${what}: ${text}`);
  }
  if (plugin.FailsWith !== '') fail(plugin.FailsWith);
  if (capability !== undefined && !plugin.Capabilities.includes(capability)) {
    fail(rpc('Unimplemented', `${capability} is not supported`));
  }
  const missing = secrets && plugin.RequiredSecrets.find((key) => !Object.hasOwn(secrets, key));
  if (missing !== undefined) {
    fail(`${internalError}: ${rpc('Internal', `secret ${quoted(missing)} is missing`)}`);
  }
  return fail;
}

const accessModes = new Set([
  'single-node-reader-only',
  'single-node-writer',
  'multi-node-reader-only',
  'multi-node-single-writer',
  'multi-node-multi-writer',
]);
const attachmentModes = new Set(['file-system', 'block-device']);

/** Only the plugin checks modes; the scheduler does not. */
export function checkModes(capabilities: readonly Capability[], fail: Fail): void {
  for (const { AccessMode, AttachmentMode } of capabilities) {
    if (!attachmentModes.has(AttachmentMode)) fail(`unknown volume attachment mode: ${AttachmentMode}`);
    if (!accessModes.has(AccessMode)) fail(`unknown volume access mode: ${AccessMode}`);
  }
}
