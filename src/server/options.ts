/** Refuses options of a server that could only fail later, with the place and a hint. */
import { isRecord } from '../protocol/model/primitives.ts';
import { unknownName } from '../protocol/nearest-name.ts';
import type { Fields } from '../protocol/neutral.ts';
import { refused } from './checks/definition-error.ts';
import { checkPositive } from './checks/definition-fields.ts';
import type { IdempotencyOptions } from './kernel/idempotency.ts';
import type { SealOptions } from './server-requests/sealed-state.ts';

/** Shorter secrets can be guessed by trying. */
const leastSecret = 16;

const optionNames: readonly string[] = [
  'middleware',
  'timeoutMs',
  'maxConcurrent',
  'maxRounds',
  'urlSchemes',
  'state',
  'idempotency',
  'replay',
  'unboundAnswers',
  'failed',
  'revisions',
  'onMismatch',
  'dialects',
  'errorCodes',
];
const stateNames = ['secrets', 'lifetimeMs', 'maxLength', 'now', 'burn'] as const satisfies ReadonlyArray<
  keyof SealOptions
>;

function checkNames(place: string, given: Readonly<Fields>, known: readonly string[]): void {
  const unknown = unknownName(given, known);
  if (unknown !== undefined) throw refused(`${place}: there is no ${unknown.name}.`, unknown.mend);
}

/** Throws `invalid-definition`. What a server speaks is checked where it is chosen. */
export function checkServerOptions(options: unknown): void {
  if (!isRecord(options)) throw refused('options: not an object.', 'Write createServer(definition, { … }).');
  const { middleware, state, failed, urlSchemes } = options;
  checkNames('options', options, optionNames);
  for (const name of ['timeoutMs', 'maxConcurrent', 'maxRounds']) checkPositive(name, options[name]);
  if (options.maxRounds !== undefined && !Number.isInteger(options.maxRounds))
    throw refused(`maxRounds: ${options.maxRounds} is not a whole number.`, 'Use 1 or more, or leave it out.');
  if (middleware !== undefined) checkMiddleware(middleware);
  if (state !== undefined) checkState(state);
  checkIdempotency(options.idempotency);
  checkFunction('failed', failed);
  if (urlSchemes !== undefined && !isSchemes(urlSchemes))
    throw refused('urlSchemes: not a list of schemes.', "Write them as ['https', 'myapp'], without the colon.");
  for (const name of ['replay', 'unboundAnswers'])
    if (options[name] !== undefined && typeof options[name] !== 'boolean')
      throw refused(`${name}: not true or false.`, 'Use one of them.');
}

const isSchemes = (schemes: unknown): boolean =>
  Array.isArray(schemes) && schemes.every((one) => typeof one === 'string' && /^[a-z][a-z\d+.-]*$/.test(one));

function checkMiddleware(middleware: unknown): void {
  if (!Array.isArray(middleware)) {
    throw refused('middleware: not a list.', 'Write middleware: [(call, next) => next()].');
  }
  const wrong = middleware.findIndex((one) => typeof one !== 'function');
  if (wrong !== -1) throw refused(`middleware[${wrong}]: not a function.`, 'Write it as (call, next) => next().');
}

function checkState(state: unknown): void {
  if (!isRecord(state)) throw refused('state: not an object.', 'Write state: { secrets: […] }.');
  checkNames('state', state, stateNames);
  for (const name of ['lifetimeMs', 'maxLength']) checkPositive(`state.${name}`, state[name]);
  for (const name of ['now', 'burn']) checkFunction(`state.${name}`, state[name]);
  if (state.secrets !== undefined) checkSecrets(state);
}

const idempotencyNames = ['lifetimeMs', 'maxEntries', 'maxBytes'] as const satisfies ReadonlyArray<
  keyof IdempotencyOptions
>;

function checkIdempotency(given: unknown): void {
  if (given === undefined || given === false) return;
  if (!isRecord(given)) throw refused('idempotency: not an object.', 'Write idempotency: { lifetimeMs: … }, or false.');
  checkNames('idempotency', given, idempotencyNames);
  for (const name of idempotencyNames) checkPositive(`idempotency.${name}`, given[name]);
}

/** The text of an error never holds a secret. */
function checkSecrets({ secrets }: Readonly<Fields>): void {
  if (!Array.isArray(secrets) || secrets.length === 0) {
    throw refused('state.secrets: not a list with at least one secret.', 'Leave it out to have one made.');
  }
  const wrong = secrets.findIndex((secret) => typeof secret !== 'string' || secret.length < leastSecret);
  if (wrong === -1) return;
  throw refused(
    `state.secrets[${wrong}]: not a text of ${leastSecret} characters or more.`,
    'Use a long random one, such as from openssl rand -base64 32.',
  );
}

function checkFunction(place: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'function')
    throw refused(`${place}: not a function.`, 'Pass one, or none.');
}
