// Children, wherever they are declared: objects that another object has the source declare.
import type { Child } from '../core/effect.ts';
import { ApiError } from '../core/errors.ts';
import { keyText } from '../core/resource.ts';
import { requestPrefix } from '../core/source/request.ts';

/** As a source keeps the annotations of an object. */
export const requestsOf = ({ annotations }: Child): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(annotations).flatMap(([name, value]) =>
      name.startsWith(requestPrefix) ? [[name.slice(requestPrefix.length), value]] : [],
    ),
  );

/** Whether what has its name is this one: declared before, and the answer got lost. */
export const isSameChild = (
  child: Child,
  { requests, deleting }: { readonly requests: Readonly<Record<string, string>>; readonly deleting: boolean },
): boolean =>
  !deleting && Object.entries(requestsOf(child)).every(([name, value]) => requests[name] === value);

export const taken = ({ key }: Child): ApiError =>
  new ApiError('waiting', 'ChildConflict', `${keyText(key)} exists already, and was not made by this object`);
