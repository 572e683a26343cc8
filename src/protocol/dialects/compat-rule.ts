/** The rules of the option `compat`, and whether it can apply where it is set. */
import {
  group,
  isFunction,
  type OptionErrorCode,
  type Rule,
  type Rules,
  wrong,
} from '../../lib/options/option-rules.ts';
import type { Revision } from '../revision.ts';
import { type CompatOptions, clientDialects, serverDialects } from './compat-options.ts';
import { errorCodeTables } from './error-codes.ts';

const errorCodeTableNames: readonly string[] = Object.keys(errorCodeTables);

const rulesOf = (dialects: readonly string[]): Rules & Record<keyof CompatOptions, Rule> => ({
  dialects: {
    holds: (value) => Array.isArray(value) && value.every((one) => dialects.includes(one)),
    must: `be a list of ${dialects.join(', ')}`,
  },
  errorCodes: {
    holds: (value) => typeof value === 'string' && errorCodeTableNames.includes(value),
    must: `be one of ${errorCodeTableNames.join(', ')}`,
  },
});

/** Of a client: the dialects of its server. */
export const compatRule: Rule = /* @__PURE__ */ group(rulesOf(clientDialects));

/** Of one client of a server, as a function returns it. */
export const clientCompatRule: Rule = /* @__PURE__ */ group(rulesOf(serverDialects));

/** Of a server: the dialects of its clients, or a function that chooses them for each. */
export const serverCompatRule: Rule = {
  ...clientCompatRule,
  holds: (value) => clientCompatRule.holds(value) || isFunction(value),
  must: `${clientCompatRule.must}, or a function that returns one`,
};

/** Throws if a choice can have no effect under any of these protocol versions. */
export function checkCompat(
  of: string,
  compat: CompatOptions | ((...args: never[]) => unknown) | undefined,
  revisions: readonly Revision[],
  code?: OptionErrorCode,
): void {
  if (compat === undefined) return;
  const sessions = revisions.filter(({ lifecycle }) => lifecycle === 'session');
  const { dialects = [], errorCodes }: CompatOptions = typeof compat === 'function' ? {} : compat;
  const needsSessions = typeof compat === 'function' || errorCodes !== undefined || dialects.length > 0;
  // Without sessions, system messages are converted to the role of the user.
  const isOnlySystem =
    errorCodes === undefined && dialects.length > 0 && dialects.every((one) => one === 'system-role');
  if (needsSessions && !isOnlySystem && sessions.length === 0)
    throw wrong(of, 'compat', 'be left out: it is for protocol versions with sessions, and none is served', code);
  if (
    dialects.includes('elicitation-messages') &&
    !sessions.some(({ serverRequests }) => serverRequests.has(elicitation))
  )
    throw wrong(
      of,
      'compat.dialects',
      'not have elicitation-messages: no chosen protocol version has elicitation',
      code,
    );
}

const elicitation = 'elicitation/create';
