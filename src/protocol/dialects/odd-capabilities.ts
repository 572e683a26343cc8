/** Capabilities of an unexpected shape, such as `{ tools: true }`: converted to their most likely meaning, and remembered for a warning. */

import { shown } from '../../lib/text/shown.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';

/**
 * Capabilities of a server, if one has an odd shape. No server has as many; a hostile one must not cause more work.
 * @limit client
 * @beyond connecting fails
 * @code invalid-result
 */
const maxCapabilities = 100;

/** The unexpected parts of corrected capabilities. */
const oddities = new WeakMap<object, readonly string[]>();

/** The unexpected parts of the capabilities that a peer declared, such as `tools: true`. Usually empty. */
export const odditiesIn = (capabilities: object): readonly string[] => oddities.get(capabilities) ?? [];

const isAbsent = (value: unknown): boolean => value === false || value === null;

const membersOf = (value: Fields, read: (member: unknown) => unknown): Fields =>
  Object.fromEntries(Object.entries(value).flatMap(([name, one]) => (isAbsent(one) ? [] : [[name, read(one)]])));

/** The possible meanings of a value, the most likely first. A capability with any other value counts as declared. */
const readingsOf = (value: unknown): unknown[] =>
  isRecord(value)
    ? [
        value,
        membersOf(value, (one) => (typeof one === 'boolean' ? one : true)),
        membersOf(value, (one) => (isRecord(one) ? one : {})),
        {},
      ]
    : [{}];

/** The same capabilities, each in the first reading that is valid; `undefined` if there is none. */
export function correctedCapabilities(
  capabilities: Fields,
  isValid: (capabilities: Fields) => boolean,
): Fields | undefined {
  const declared = Object.entries(capabilities).filter(([, value]) => !isAbsent(value));
  if (declared.length > maxCapabilities || !isValid({})) return undefined;
  const corrected: Fields = {};
  const odd: string[] = [];
  for (const [name, value] of declared) {
    const reading = readingsOf(value).find((one) => isValid({ [name]: one }));
    if (reading !== value) odd.push(`${shown(name)}: ${shown(JSON.stringify(value))}`);
    if (reading !== undefined) corrected[name] = reading;
  }
  oddities.set(corrected, odd);
  return corrected;
}
