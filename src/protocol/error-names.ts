/** The names of error numbers that a peer sent. */
import { RpcError, standardCodes } from '../jsonrpc/errors.ts';
import { isRecord } from '../lib/values/is.ts';
import { defaultNumbers, type ErrorNumbers, type RpcErrorReason } from './errors.ts';

/** Numbers with one meaning for all time: those of JSON-RPC, and retired ones that older servers still send. */
const fixedNames: ReadonlyMap<number, RpcErrorReason> = new Map([
  ...(Object.entries(standardCodes) as Array<[RpcErrorReason, number]>).map(([name, code]) => [code, name] as const),
  [-32002, 'resource-not-found'],
  [-32042, 'url-elicitation-required'],
]);

/** Numbers that only one name has. A number that several names share has its standard meaning only. */
const ownNames: ReadonlyMap<number, RpcErrorReason> = new Map(
  (Object.entries(defaultNumbers) as Array<[RpcErrorReason, number]>).map(([name, code]) => [code, name]),
);

/** The name of a number that a peer sent, or `unknown`; the error still carries the number. */
export function errorName(numbers: ErrorNumbers, code: number): RpcErrorReason | 'unknown' {
  if (Object.values(standardCodes).includes(code as never)) return fixedNames.get(code) ?? 'unknown';
  for (const [name, number] of Object.entries(numbers)) if (number === code) return name as RpcErrorReason;
  return fixedNames.get(code) ?? ownNames.get(code) ?? 'unknown';
}

/** The newest revision gives a missing resource the number of invalid params; `data.uri` distinguishes the two. */
const isMissingResource = ({ code, data }: RpcError, method: string): boolean =>
  method === 'resources/read' &&
  code === defaultNumbers['resource-not-found'] &&
  isRecord(data) &&
  typeof data.uri === 'string';

/** Sessions give a missing capability of the client the number of invalid params; `data.requiredCapabilities` distinguishes the two. */
const isMissingCapability = ({ code, data }: RpcError): boolean =>
  code === standardCodes['invalid-params'] && isRecord(data) && isRecord(data.requiredCapabilities);

/** A peer's error with the name its number has in a revision, and the method. Anything else passes as it is. */
export function namedError(numbers: ErrorNumbers, error: unknown, method: string): unknown {
  if (!(error instanceof RpcError)) return error;
  return Object.assign(RpcError.answered(error, nameOf(numbers, error, method), error), { method });
}

function nameOf(numbers: ErrorNumbers, error: RpcError, method: string): RpcErrorReason | 'unknown' {
  if (isMissingResource(error, method)) return 'resource-not-found';
  return isMissingCapability(error) ? 'missing-client-capability' : errorName(numbers, error.code);
}
