/** Validates keys of `_meta`, identifiers of extensions, and the values of tracing keys. */
import { isRecord } from '../lib/values/is.ts';
import { traceProblem } from './trace-context.ts';

/** The idempotency key: a call with the same key runs once, even if it arrives several times. */
export const idempotencyKey = 'dev.tenon/idempotency-key';

/** In a result that only says that a call waits: the approval that it waits for. */
export const approvalMetaKey = 'dev.tenon/approval';

const label = '[A-Za-z](?:[A-Za-z\\d-]*[A-Za-z\\d])?';
const name = '[A-Za-z\\d](?:[\\w.-]*[A-Za-z\\d])?';
const keyShape = new RegExp(`^(?:(${label}(?:\\.${label})*)/)?(?:${name})?$`);

const shapeText =
  'a key is a name of letters, digits, dots, dashes and underscores, with a prefix such as com.example/ before it';

const reservedLabels: ReadonlySet<string> = new Set(['modelcontextprotocol', 'mcp']);

/** Reserved keys that the protocol defines and that applications may set. */
const definedKeys: ReadonlySet<string> = new Set([
  'io.modelcontextprotocol/related-task',
  'io.modelcontextprotocol/model-immediate-response',
]);

/**
 * Whether a prefix is reserved for the protocol. One revision reserves the second label, another any label but the last;
 * a server may speak both, so both rules apply.
 */
const isReserved = (prefix: string): boolean =>
  prefix.split('.').some((one, at, { length }) => reservedLabels.has(one) && (at === 1 || at < length - 1));

/** Why an application may not use a key, or `undefined` where it may. */
function keyProblem(key: string): string | undefined {
  const shape = keyShape.exec(key);
  if (shape === null) return shapeText;
  const [, prefix] = shape;
  if (prefix === undefined || definedKeys.has(key) || !isReserved(prefix)) return undefined;
  return `the prefix ${prefix}/ is reserved for the protocol; use a domain of your own, such as com.example/`;
}

/** The first problem of a `_meta` that an application sets, as `["key"]: what is wrong`. */
export function metaProblem(meta: unknown): string | undefined {
  if (!isRecord(meta)) return undefined;
  for (const key of Object.keys(meta)) {
    const problem = keyProblem(key) ?? traceProblem(key, meta[key]);
    if (problem !== undefined) return `[${JSON.stringify(key)}]: ${problem}`;
  }
  return undefined;
}

/** What is wrong with extensions as a side declares them: each has a key with a prefix, and an object of settings. */
export function extensionsProblem(extensions: unknown): string | undefined {
  if (!isRecord(extensions)) return ': must be an object of settings by identifier';
  for (const [identifier, settings] of Object.entries(extensions)) {
    const hasBoth = keyShape.exec(identifier)?.[1] !== undefined && !identifier.endsWith('/');
    const place = `[${JSON.stringify(identifier)}]`;
    if (!hasBoth) return `${place}: an identifier is a prefix and a name`;
    if (!isRecord(settings)) return `${place}: its settings must be an object`;
  }
  return undefined;
}
