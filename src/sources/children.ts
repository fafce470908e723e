// Rules for children that hold for every source. A child is an object that another object declares through the source,
// such as the snapshots of a schedule. No manifest declares a child.
import type { Child } from '../core/effect.ts';
import { ApiError } from '../core/errors.ts';
import { keyText } from '../core/resource.ts';
import { requestPrefix } from '../core/source/request.ts';

/** The requests among a child's annotations, by name without the prefix, in the form in which sources store them. */
export const requestsOf = ({ annotations }: Child): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(annotations).flatMap(([name, value]) =>
      name.startsWith(requestPrefix) ? [[name.slice(requestPrefix.length), value]] : [],
    ),
  );

/**
 * Whether the object that already has the child's name is this child. It is when an earlier create succeeded and its
 * answer was lost.
 */
export const isSameChild = (
  child: Child,
  { requests, deleting }: { readonly requests: Readonly<Record<string, string>>; readonly deleting: boolean },
): boolean =>
  !deleting && Object.entries(requestsOf(child)).every(([name, value]) => requests[name] === value);

export const taken = ({ key }: Child): ApiError =>
  new ApiError('waiting', 'ChildConflict', `${keyText(key)} exists already, and was not made by this object`);
