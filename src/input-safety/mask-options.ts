/** The options of `maskSecrets`. */
import type { Rule } from '../lib/options/option-rules.ts';

/**
 * The options of `maskSecrets`.
 * @area input safety
 * @of `maskSecrets`
 */
export interface MaskOptions {
  /**
   * Names of further fields that hold secrets, such as `patientId`. Case, `-` and `_` do not count.
   * @default []
   */
  readonly fields?: readonly string[];
  /**
   * Further patterns of secrets in texts.
   * @default []
   * @rule regularExpressions
   */
  readonly patterns?: readonly RegExp[];
}

export const regularExpressions: Rule = {
  holds: (value) => Array.isArray(value) && value.every((one) => one instanceof RegExp),
  must: 'be a list of regular expressions',
};
