/** What a request claims of each limit: the compiled options, and the keys of buckets and slots. */
import { clientPart, parseIp } from '../../lib/text/ip-address.ts';
import type { Slot, TokenBucket, TokenClaim } from '../../store/limit-store.ts';
import type { CallCost, GuardLimits } from './options.ts';
import { bucketOf, type LimitOptions, type Rate } from './rate.ts';

/** One limit, as it is checked. */
interface CompiledLimit {
  /** Its option, which errors name. */
  readonly name: string;
  readonly bucket: TokenBucket | undefined;
  readonly concurrent: number | undefined;
}

interface CompiledTool extends CompiledLimit {
  readonly shared: boolean;
}

export interface CompiledLimits {
  readonly perPrincipal: CompiledLimit;
  readonly perAddress: CompiledLimit;
  readonly perTool: ReadonlyMap<string, CompiledTool>;
  readonly costs: ReadonlyMap<string, CallCost>;
}

export function compileLimits({
  perPrincipal,
  perAddress,
  perTool = {},
  costs = {},
  concurrent,
}: GuardLimits): CompiledLimits {
  const tools = Object.entries(perTool).map(([tool, limit]): [string, CompiledTool] => {
    const shared = typeof limit === 'object' && limit.shared === true;
    return [tool, { ...compile(`perTool.${escaped(tool)}`, limit), shared }];
  });
  return {
    perPrincipal: compile('perPrincipal', perPrincipal, concurrent),
    perAddress: compile('perAddress', perAddress),
    perTool: new Map(tools),
    costs: new Map(Object.entries(costs)),
  };
}

/** A slash ends the name of a limit in the keys of its buckets. */
const escaped = (tool: string): string => tool.replaceAll('%', '%25').replaceAll('/', '%2F');

const compile = (name: string, limit: Rate | LimitOptions | undefined, concurrent?: number): CompiledLimit => ({
  name,
  bucket: bucketOf(limit),
  concurrent: typeof limit === 'object' ? (limit.concurrent ?? concurrent) : concurrent,
});

/** What one request claims. */
export class Claims {
  readonly tokens: TokenClaim[] = [];
  readonly slots: Slot[] = [];

  /** `key` names the bucket or slot within the limit. */
  add({ name, bucket, concurrent }: CompiledLimit, key: string, cost: number): void {
    if (bucket !== undefined && cost > 0) this.tokens.push({ key: `${name}/${key}`, cost, bucket });
    if (concurrent !== undefined) this.slots.push({ key: `${name}/${key}`, max: concurrent });
  }
}

/** A caller without a principal counts by its address; those without either count together. */
export function callerKey({ principal, address }: Sender): string {
  if (principal !== undefined) return `principal ${principal}`;
  return address === undefined ? 'local' : `address ${addressKey(address)}`;
}

interface Sender {
  readonly principal: string | undefined;
  readonly address: string | undefined;
}

/** Texts that are no address count as they are, in part: the address of a client is short. */
const maxAddressChars = 64;

/** A client has all addresses of its IPv6 network. */
export function addressKey(address: string): string {
  const ip = address.includes(':') ? parseIp(address) : undefined;
  return ip === undefined ? address.slice(0, maxAddressChars) : clientPart(ip);
}
