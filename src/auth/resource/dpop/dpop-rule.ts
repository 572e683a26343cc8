/** The rule of the option `dpop`, which is a word or an object, and how it is read. */
import { type Rule, wrong } from '../../../lib/options/option-rules.ts';
import { isRecord } from '../../../lib/values/is.ts';
import { dpopOptions } from './options.table.ts';
import type { DpopMode, DpopOptions } from './options.ts';

/** Shorter secrets can be guessed by brute force. */
const leastSecret = 16;

const isMode = (value: unknown): value is DpopMode => value === 'required' || value === 'optional';

export const dpopRule: Rule = {
  holds: (value) => isMode(value) || isRecord(value),
  must: `be 'required', 'optional', or an object with ${Object.keys(dpopOptions).join(', ')}`,
  fields: dpopOptions,
};

/** Throws `invalid-argument`, without the secret. The rule has checked everything else. */
export function readDpop(of: string, dpop: DpopMode | DpopOptions | undefined): DpopOptions | undefined {
  if (dpop === undefined || typeof dpop === 'string') return dpop && { mode: dpop };
  const weak = dpop.secrets?.findIndex((secret) => secret.length < leastSecret) ?? -1;
  if (weak !== -1)
    throw wrong(
      of,
      `dpop.secrets[${weak}]`,
      `be a string of ${leastSecret} characters or more, such as from openssl rand -base64 32`,
    );
  return dpop;
}
