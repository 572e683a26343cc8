/** Checks the upstreams of a file: which kind each is, and the members that belong to another kind or type. */
import { type Problem, problemsIn, type Rules } from '../../lib/options/option-rules.ts';
import { nameHint } from '../../lib/text/nearest-name.ts';
import { type Fields, isRecord } from '../../lib/values/is.ts';
import { fileOnly } from './upstream-options.table.ts';
import { authTypes, type FileAuth, type FileUpstream, typesOfUsers, upstreamMembers } from './upstream-options.ts';

/** What makes an upstream what it is, with the members that only this kind has. */
export const upstreamKinds = {
  command: ['args', 'env', 'cwd'],
  url: ['headers', 'auth'],
  openapi: ['baseUrl', 'include', 'exclude', 'allowedNetworks', 'headers', 'auth'],
} as const;

type UpstreamKind = keyof typeof upstreamKinds;

const kinds = Object.keys(upstreamKinds) as readonly UpstreamKind[];
const ofOneKind = new Set<string>(Object.values(upstreamKinds).flat());

/** The problems of one upstream. The values of options of `createGateway()` are checked there. */
export function upstreamProblems(entry: unknown, place: string): Problem[] {
  if (!isRecord(entry))
    return [{ place, text: `${place} is not an object.`, hint: `Write one with ${either(kinds)}.` }];
  const found = kinds.filter((kind) => entry[kind] !== undefined);
  const [kind] = found;
  if (kind === undefined || found.length > 1) {
    const text = kind === undefined ? `${place} has no server.` : `${place} has ${found.join(' and ')}.`;
    return [{ place, text, hint: `Write one of ${either(kinds)}.` }];
  }
  const known = [...new Set([...kinds, ...Object.keys(fileOnly), ...upstreamMembers])];
  const own = Object.fromEntries(Object.entries(entry).filter(([name]) => Object.hasOwn(fileOnly, name)));
  return [
    ...unknownMembers(entry, place, known),
    ...foreignMembers(entry, place, kind),
    ...problemsIn(`${place}.`, own, fileOnly as Rules),
    ...typeProblems(entry, place, kind),
    ...authProblems(entry, `${place}.auth`, kind),
  ];
}

const either = (names: readonly string[]): string =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;

const unknownMembers = (entry: Readonly<Fields>, place: string, known: readonly string[]): Problem[] =>
  Object.keys(entry)
    .filter((name) => !known.includes(name))
    .map((name) => ({
      place: `${place}.${name}`,
      text: `${place}.${name} is not an option.`,
      hint: nameHint(name, known),
    }));

function foreignMembers(entry: Readonly<Fields>, place: string, kind: UpstreamKind): Problem[] {
  const has = (one: UpstreamKind, name: string): boolean => (upstreamKinds[one] as readonly string[]).includes(name);
  return Object.keys(entry)
    .filter((name) => ofOneKind.has(name) && !has(kind, name))
    .map((name) => ({
      place: `${place}.${name}`,
      text: `${place}.${name} is not for an upstream with ${kind}.`,
      hint: `It is for one with ${either(kinds.filter((one) => has(one, name)))}.`,
    }));
}

function typeProblems({ type }: Readonly<Fields>, place: string, kind: UpstreamKind): Problem[] {
  if (type === undefined || (type === 'stdio') === (kind === 'command')) return [];
  const hint = kind === 'command' ? 'A command has the type stdio; leave it out.' : 'Leave it out: it is detected.';
  return [{ place: `${place}.type`, text: `${place}.type does not fit ${kind}.`, hint }];
}

function authProblems({ auth, share }: Readonly<Fields>, place: string, kind: UpstreamKind): Problem[] {
  if (!isRecord(auth) || typeof auth.type !== 'string' || !Object.hasOwn(authTypes, auth.type)) return [];
  const { type, ...members } = auth as FileAuth;
  const problems = problemsIn(`${place}.`, members, authTypes[type] as Rules);
  const report = (text: string, hint: string): void => void problems.push({ place, text: `${place} ${text}.`, hint });
  if (type === 'bearer' && (members.secret === undefined) === (members.file === undefined))
    report('needs secret or file', 'Write one of them.');
  if (!typesOfUsers.has(type)) return problems;
  if (kind !== 'url')
    report(`of the type ${type} is for an upstream with url`, 'Use bearer, api-key or client-credentials.');
  if (share === 'all') report(`of the type ${type} needs a connection for each user`, 'Leave share out.');
  if (type !== 'oauth') return problems;
  if (members.clientId === undefined && members.secret !== undefined)
    report('has no clientId', 'Write the ID of the client, or leave its secret out.');
  if (members.secret !== undefined && members.issuer === undefined)
    report('has no issuer', 'The secret is sent to this authorization server alone.');
  return problems;
}

/** The names of the secrets that an upstream has, each with its place. */
export function secretsOf({ auth }: FileUpstream, place: string): readonly (readonly [name: string, place: string])[] {
  return typeof auth?.secret === 'string' ? [[auth.secret, `${place}.auth.secret`]] : [];
}
