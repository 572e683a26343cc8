/** The rules of the options that decide which requests are admitted. */
import type { EntryProblem, Rule } from '../../../lib/options/option-rules.ts';
import { hostProblem, originProblem } from './allowed-entries.ts';
import { isNetwork } from './gate/client-address.ts';

/** Whether a value is a list without a wrong entry. */
const hasOnly =
  (problemOf: (entry: unknown) => EntryProblem | undefined) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every((entry) => problemOf(entry) === undefined);

/** Names are not accepted: the owner of a name can point it anywhere. */
const networkProblem = (entry: unknown): EntryProblem | undefined =>
  isNetwork(entry) ? undefined : { problem: 'is not an address or a network' };

export const allowedHosts: Rule = {
  holds: (value) => value === '*' || (hasOnly(hostProblem)(value) && (value as readonly string[]).length > 0),
  entry: hostProblem,
  must: "be a list of full names such as ['mcp.example'], without ports and in ASCII (xn--…), or '*' for every host",
};

export const allowedOrigins: Rule = {
  holds: hasOnly(originProblem),
  entry: originProblem,
  must: "be a list of origins such as ['https://app.example'], without a path",
};

export const trustedProxies: Rule = {
  holds: (value) => value === '*' || hasOnly(networkProblem)(value),
  entry: networkProblem,
  must: "be a list of addresses or networks such as ['10.0.0.0/8', '::1'], or '*' for every sender",
};
