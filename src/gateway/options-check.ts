/** Checks the upstreams of a gateway: all problems at once, each with its place and a fix, none with a value. */

import { TenonError } from '../lib/errors/tenon-error.ts';
import type { Problem } from '../lib/options/option-rules.ts';
import { parseUrl } from '../lib/text/parse-url.ts';
import { isRecord } from '../lib/values/is.ts';
import { findRevision, protocolVersions } from '../protocol/revisions/revisions.ts';
import { upstreamLimits } from './options.table.ts';
import type { UpstreamOptions } from './types.ts';

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one === 'string');
const isTextRecord = (value: unknown): boolean =>
  isRecord(value) && Object.values(value).every((one) => typeof one === 'string');

interface Check {
  readonly holds: (value: unknown) => boolean;
  readonly must: string;
}

const plainName = /^[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/;

/** Characters of the name or the prefix of an upstream: more would leave no room for names of tools. */
const longestName = 32;

const checks: Readonly<Record<keyof UpstreamOptions, Check>> = {
  command: { holds: isText, must: 'be the name of a program' },
  args: { holds: isTexts, must: 'be a list of strings' },
  env: { holds: isTextRecord, must: 'be an object of strings' },
  cwd: { holds: isText, must: 'be the path of a folder' },
  url: {
    holds: (value) => typeof value === 'string' && /^https?:$/.test(parseUrl(value)?.protocol ?? ''),
    must: 'be a URL in full, such as https://mcp.example.com/mcp',
  },
  headers: { holds: isTextRecord, must: 'be an object of strings' },
  auth: {
    holds: (value) => typeof value === 'function' || (isRecord(value) && typeof value.forServer === 'function'),
    must: 'be what oauth() of tenon/auth returns, or a function that returns it for an owner',
  },
  server: {
    holds: (value) => isRecord(value) && typeof value.accept === 'function',
    must: 'be a server of this process, such as the result of createServer()',
  },
  share: {
    holds: (value) => ['principal', 'session', 'call', 'all'].includes(value as string),
    must: 'be principal, session, call or all',
  },
  prefix: {
    holds: (value) => value === '' || isPlainName(value),
    must: 'be letters, digits, dashes and single underscores, at most 32, or empty',
  },
  expose: { holds: isTexts, must: 'be a list of names' },
  hide: { holds: isTexts, must: 'be a list of names' },
  rename: { holds: isTextRecord, must: 'be an object such as { theirs: "ours" }' },
  required: { holds: (value) => typeof value === 'boolean', must: 'be true or false' },
  protocolVersions: {
    holds: (value) => Array.isArray(value) && value.length > 0 && value.every((one) => findRevision(one) !== undefined),
    must: `be a list of some of ${protocolVersions.join(', ')}`,
  },
  limits: { holds: isRecord, must: `be an object with ${Object.keys(upstreamLimits).join(', ')}` },
};

function isPlainName(value: unknown): boolean {
  return typeof value === 'string' && value.length <= longestName && plainName.test(value);
}

/** All problems of `upstreams`; `place` is put before each. */
export function upstreamProblems(upstreams: unknown, place = 'upstreams'): Problem[] {
  if (!isRecord(upstreams)) return [problem(place, 'be an object of upstreams by name')];
  if (Object.keys(upstreams).length === 0) return [problem(place, 'have at least one upstream')];
  return Object.entries(upstreams).flatMap(([name, options]) => {
    const at = `${place}.${name}`;
    if (!isPlainName(name)) {
      const named = problem(`${place}[${JSON.stringify(name.slice(0, 40))}]`, `be named by ${nameRule}`);
      return [{ ...named, place: at, hint: 'Give it another name.' }];
    }
    if (!isRecord(options)) return [problem(at, 'be an object')];
    return [...memberProblems(at, options, checks), ...targetProblems(at, options)];
  });
}

const nameRule = `letters, digits, dashes and single underscores, at most ${longestName}`;

function memberProblems(at: string, options: object, table: Readonly<Record<string, Check>>): Problem[] {
  return Object.entries(options).flatMap(([key, value]) => {
    const check = Object.hasOwn(table, key) ? table[key] : undefined;
    if (check === undefined)
      return [problem(`${at}.${key}`, `not exist: the options are ${Object.keys(table).join(', ')}`)];
    if (value === undefined) return [];
    if (!check.holds(value)) return [problem(`${at}.${key}`, check.must)];
    return key === 'limits' && table === checks ? memberProblems(`${at}.limits`, value as object, upstreamLimits) : [];
  });
}

function targetProblems(
  at: string,
  { command, url, server, args, env, cwd, headers, auth }: UpstreamOptions,
): Problem[] {
  const targets = [command, url, server].filter((one) => one !== undefined);
  if (targets.length !== 1) return [problem(at, 'have exactly one of command, url and server')];
  const found: Problem[] = [];
  if (command === undefined && (args ?? env ?? cwd) !== undefined)
    found.push(problem(at, 'have args, env and cwd only with command'));
  if (url === undefined && (headers ?? auth) !== undefined)
    found.push(problem(at, 'have headers and auth only with url'));
  return found;
}

const problem = (place: string, must: string): Problem => ({
  place,
  text: `${place} must ${must}.`,
  hint: `Change ${place}.`,
});

export function checkUpstreams(upstreams: unknown): void {
  const [first, ...others] = upstreamProblems(upstreams);
  if (first === undefined) return;
  const more = others.length === 0 ? '' : ` There are ${others.length} more problems.`;
  throw new TenonError('invalid-argument', `createGateway(): ${first.text}${more}`, {
    hint: first.hint,
    details: { problems: [first, ...others] },
  });
}
