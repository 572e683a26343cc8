/** The rules of options that name protocol versions of Tenon. */
import type { Rule } from '../../lib/options/option-rules.ts';
import { protocolVersions } from './revisions.ts';

const isVersion = (value: unknown): boolean => (protocolVersions as readonly unknown[]).includes(value);

export const oneVersion: Rule = { holds: isVersion, must: `be one of ${protocolVersions.join(', ')}` };

export const someVersions: Rule = {
  holds: (value) => Array.isArray(value) && value.length > 0 && value.every(isVersion),
  must: `be a list of ${protocolVersions.join(', ')}`,
};
