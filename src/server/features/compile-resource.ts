/** Makes a resource ready: its URI is checked, its record is written. */

import { isUrl } from '../../protocol/addresses.ts';
import { isResource } from '../../protocol/generated/record-checks.ts';
import { checkCache } from '../checks/cache-hint.ts';
import { refused } from '../checks/definition-error.ts';
import { checkPositive, checkRecord } from '../checks/validation.ts';
import type { Compiled } from '../definition/compiled.ts';
import type { Resource } from '../definition/resource.ts';
import type { Invocation } from './invocation.ts';
import { readResource } from './resource.ts';

/** A scheme, then none of the characters that stand in no URI: the URL parser would take them and change them. */
const uriShape = /^[a-z][a-z\d+.-]*:[^\s<>"{}|\\^`\p{Cc}]*$/iu;

export function compileResource(uri: string, source: Resource): Compiled<Invocation> {
  const place = `resources[${JSON.stringify(uri)}]`;
  if (!uriShape.test(uri) || !isUrl(uri)) {
    throw refused(`${place}: not a URI.`, 'Begin it with a scheme, such as notes://today, and encode spaces as %20.');
  }
  const { cache, timeoutMs, ...described } = source.facts;
  checkPositive(`${place}.timeoutMs`, timeoutMs);
  checkCache(`${place}.cache`, cache);
  const record = { ...described, uri, name: described.name ?? uri };
  checkRecord(place, record, isResource);
  const { read } = source;
  const readable = { mimeType: described.mimeType, cache, timeoutMs, mayBeMissing: false };
  return {
    source,
    record,
    timeoutMs,
    serve: (invocation) => readResource(invocation, readable, () => read(invocation.context)),
  };
}
