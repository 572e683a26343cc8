/** Reads the options of `protect`. */
import { optionError, problemsIn, wrong } from '../../lib/options/option-rules.ts';
import { type Filled, readOptions } from '../../lib/options/read-options.ts';
import { runSafely } from '../../lib/values/run-safely.ts';
import { readDpop } from './dpop/dpop-rule.ts';
import type { DpopOptions } from './dpop/options.ts';
import { type IssuerServer, isIssuerServer, type OwnIssuer, type ProtectedResource } from './issuer-server.ts';
import { issuerOptions, protectOptions } from './options.table.ts';
import { type IssuerOptions, oneIssuer, type ProtectOptions } from './options.ts';

const of = 'protect()';

const otherNames = {
  audience: 'audiences',
  scope: 'scopes',
  jwksUri: 'issuer.jwksUri',
  requiredScopes: 'scopes',
  implies: 'impliedScopes',
};

/** An authorization server whose tokens are accepted; `own` if it is in this process. */
export interface Issuer extends IssuerOptions {
  readonly own?: OwnIssuer;
}

/** The options of `protect` with their defaults; those that can be written in several ways are in one. */
export interface ProtectSettings
  extends Omit<Filled<ProtectOptions, typeof protectOptions>, 'issuer' | 'issuers' | 'dpop'> {
  readonly issuers: readonly Issuer[];
  readonly dpop: DpopOptions | undefined;
}

/** Throws `invalid-argument`. */
export function readProtectOptions(options: ProtectOptions): ProtectSettings {
  if (options === undefined) throw wrong(of, 'options', 'be an object');
  const { issuer, issuers, dpop, ...settings } = readOptions(of, protectOptions, options, otherNames);
  if ((issuer === undefined) === (issuers === undefined))
    throw wrong(of, 'issuer', `${oneIssuer.must}; for several, set issuers instead. One of the two is required`);
  const resource = protectedResource(settings);
  const read =
    issuer === undefined
      ? (issuers ?? []).map((one, at) => readIssuer(`issuers[${at}]`, one, resource))
      : [readIssuer('issuer', issuer, resource)];
  for (const [at, { issuer: name }] of read.entries())
    if (read.findIndex((one) => one.issuer === name) !== at)
      throw wrong(of, `issuers[${at}]`, 'be another issuer than those before it');
  if (read.filter(({ introspection }) => introspection !== undefined).length > 1)
    throw wrong(of, 'issuers', 'have introspection for one issuer only: an opaque token does not name its issuer');
  if (options.verify !== undefined) checkUnused(options, read);
  return { ...settings, issuers: read, dpop: readDpop(of, dpop) };
}

function protectedResource({
  resource,
  scopes,
  scopesSupported = scopes,
  onWarning,
}: Pick<ProtectSettings, 'resource' | 'scopes' | 'scopesSupported' | 'onWarning'>): ProtectedResource {
  return { resource, scopes: scopesSupported, warn: (error) => runSafely(() => onWarning?.(error)) };
}

function readIssuer(place: string, issuer: string | IssuerOptions | IssuerServer, resource: ProtectedResource): Issuer {
  if (typeof issuer === 'string') return { issuer };
  if (isIssuerServer(issuer)) {
    const own = issuer.issuerFor(resource);
    return { issuer: own.issuer, own };
  }
  const [first] = problemsIn(`${place}.`, { ...issuer }, issuerOptions);
  if (first !== undefined) throw optionError(of, first);
  return issuer;
}

/** Options about reading a token, which `verify` does instead: a server that sets them relies on checks that are not made. */
function checkUnused(options: ProtectOptions, issuers: readonly Issuer[]): void {
  if (issuers.some(({ own }) => own !== undefined))
    throw wrong(of, 'verify', 'not be set beside an authorizationServer(), whose tokens are read here');
  const inOptions = (['audiences', 'claims', 'rolesClaim'] as const).find((name) => options[name] !== undefined);
  const inIssuer = (['jwksUri', 'introspection'] as const).find((name) =>
    issuers.some((issuer) => issuer[name] !== undefined),
  );
  const unused = inOptions ?? (inIssuer && `issuer.${inIssuer}`);
  if (unused !== undefined)
    throw wrong(of, unused, 'not be set beside verify, which gets the token and returns the principal');
}
