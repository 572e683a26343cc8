/** What options have to be that say where and how to listen. */

import {
  called,
  flag,
  graced,
  has,
  isObject,
  type Rule,
  type Rules,
  timed,
  unusable,
} from '../protocol/option-rules.ts';
import { checkHttpOptions } from '../server/http/option-rules.ts';

const isPath = (value: unknown): boolean => typeof value === 'string' && /^\/[^\s?#]*$/.test(value);

const port: Rule = {
  holds: (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 65_535,
  mend: 'Give an integer, 0 to 65535; 0 takes any that is free.',
};

const rules: Rules = {
  port,
  host: {
    holds: (value) => typeof value === 'string' && /^[^\s/]+$/.test(value),
    mend: "Give an address of this machine, such as '0.0.0.0'.",
  },
  path: { holds: isPath, mend: "Begin it with a slash, as '/mcp'." },
  sse: {
    holds: (value) => value === false || (isObject(value) && isPath(value.stream) && isPath(value.messages)),
    mend: "Write { stream: '/sse', messages: '/messages' }, or false.",
  },
  tls: { holds: isObject, mend: 'Give a key and its certificate as PEM.' },
  otherwise: called,
  graceMs: graced,
  headersTimeoutMs: timed,
  requestTimeoutMs: timed,
  stallTimeoutMs: timed,
  signals: flag,
};

/** Throws `invalid-argument` before anything listens. */
export function checkListening(server: unknown, options: unknown): void {
  if (!has(server, 'accept')) throw unusable('serveHttp()', 'there is no server', 'Pass what createServer() gives.');
  checkHttpOptions('serveHttp', options, rules);
}
