/** The names of tools: unique, and of the characters that model APIs allow. */
import { createHash } from 'node:crypto';
import { wrong } from '../../lib/options/option-rules.ts';
import type { ApiOperation } from './operation.ts';

/** Characters of a name. Model APIs take `^[a-zA-Z0-9_-]{1,64}$`. */
const longest = 64;
const plain = /^[A-Za-z0-9_-]{1,64}$/;

/** Returns the name for an operation, or nothing for the default. */
export type NameOperation = (operation: ApiOperation) => string | undefined;

/** A name depends on its operation alone, unless two operations would have the same: then each gets a digest. */
export function nameOperations<O extends ApiOperation>(
  operations: readonly O[],
  nameOf: NameOperation | undefined,
): ReadonlyMap<string, O> {
  const wanted = operations.map((operation) => ownName(operation, nameOf));
  const counts = new Map<string, number>();
  for (const { name } of wanted) counts.set(name, (counts.get(name) ?? 0) + 1);
  const named = new Map<string, O>();
  for (const [at, operation] of operations.entries()) {
    const { name = '', isChosen = false } = wanted[at] ?? {};
    const isAlone = counts.get(name) === 1;
    if (isChosen && !isAlone)
      throw wrong('openapiServer()', 'name', `return another name for each operation, not "${name}" twice`);
    named.set(isAlone && name.length <= longest ? name : withDigest(name, operation), operation);
  }
  return named;
}

function ownName(operation: ApiOperation, nameOf: NameOperation | undefined) {
  const chosen = nameOf?.(operation);
  if (chosen !== undefined) {
    if (!plain.test(chosen)) throw wrong('openapiServer()', 'name', 'return 1 to 64 letters, digits, "_" or "-"');
    return { name: chosen, isChosen: true };
  }
  const { id, method, path } = operation;
  const readable = withoutUnderscores((id ?? `${method}${path}`).replace(/[^A-Za-z0-9_-]+/g, '_'));
  return { name: readable === '' ? method : readable, isChosen: false };
}

/** Without those at its ends. A pattern would look at each run of them again and again. */
function withoutUnderscores(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && text[start] === '_') start++;
  while (end > start && text[end - 1] === '_') end--;
  return text.slice(start, end);
}

const withDigest = (name: string, { method, path }: ApiOperation): string => {
  const digest = createHash('sha256')
    .update(JSON.stringify([method, path]))
    .digest('hex')
    .slice(0, 10);
  return `${name.slice(0, longest - digest.length - 1)}_${digest}`;
};
