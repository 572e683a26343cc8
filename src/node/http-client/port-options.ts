/** The options of an HTTP target that only Node has. */
import type { Rule } from '../../lib/options/option-rules.ts';

/**
 * Options of the connections to an HTTP target.
 * @area client
 * @of the target
 */
export interface HttpPortOptions {
  /**
   * Certificates of authorities to trust besides those that Node trusts, as PEM.
   * @default off
   * @rule targetCertificates
   */
  readonly ca?: string | readonly string[];
  /**
   * Connections to the server at once. Event streams, and short requests such as cancellations, have extra connections.
   * @default 256
   * @beyond requests wait
   */
  readonly maxConnections?: number;
  /**
   * How long opening a connection may take.
   * @default 10 s
   * @most none
   * @beyond the attempt fails
   * @code unreachable
   */
  readonly connectTimeoutMs?: number;
}

export const targetCertificates: Rule = {
  holds: (value) => [value].flat().every((one) => typeof one === 'string'),
  must: 'be certificates as PEM, in a string or a list of strings',
};
