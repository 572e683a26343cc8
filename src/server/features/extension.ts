/** An extension: `serveExtension()` serves one; params, results and notifications are validated by its schemas. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isPromiseLike, isRecord } from '../../lib/values/is.ts';
import type { Settled } from '../../ports/call-outcome.ts';
import { issueDetails } from '../../protocol/error-data.ts';
import { rpcError } from '../../protocol/errors.ts';
import {
  type ExtensionDefinition,
  isTypedResult,
  type MethodDefinition,
  type Methods,
  type NotificationDefinition,
  type Notifications,
} from '../../protocol/extensions/extension.ts';
import { valueOf, wrapped } from '../../protocol/extensions/plain-value.ts';
import type { CacheHint } from '../../protocol/neutral.ts';
import { issuesText } from '../../schema/issues.ts';
import { readValidator, type SchemaReading } from '../../schema/reading.ts';
import { checkCache } from '../checks/cache-hint.ts';
import { refused } from '../checks/definition-error.ts';
import { checkFields, checkPositive } from '../checks/definition-fields.ts';
import type { CompiledExtension, CompiledMethod, NotificationReceiver } from '../definition/compiled.ts';
import type { BaseContext, Caller } from '../definition/context.ts';
import type {
  ExtensionContext,
  NotificationContext,
  ServeExtensionOptions,
  ServerExtension,
} from '../definition/extension.ts';
import type { NotificationSender } from '../ports/caller.ts';
import { targetOf } from '../ports/target.ts';
import type { Invocation } from './invocation.ts';
import { limitTime } from './time-limit.ts';

/**
 * Serves an extension: pass the result to `createServer`.
 *
 * ```ts
 * createServer({ name: 'x', version: '1', extensions: [serveExtension(greetings, { methods: { hello: ({ name }) => … } })] });
 * ```
 */
export const serveExtension = <const M extends Methods, const N extends Notifications>(
  extension: ExtensionDefinition<M, N>,
  options: ServeExtensionOptions<M, N>,
): ServerExtension => ({
  type: 'served-extension',
  extension,
  // The types above tie each handler to the schemas of its params.
  options: options as unknown as ServerExtension['options'],
  compile: compileExtension,
  outgoingParams,
});

const fields = [
  'settings',
  'methods',
  'notifications',
  'resources',
  'cache',
  'timeoutMs',
] as const satisfies readonly (keyof ServeExtensionOptions<Methods, Notifications>)[];

/** The names of the notifications that clients send. */
const clientNotifications = ({ notifications }: ExtensionDefinition): string[] =>
  Object.keys(notifications).filter((name) => notifications[name]?.from === 'client');

type Read = SchemaReading['validate'];
type Handler = (params: unknown, context: unknown) => unknown;

function compileExtension({ extension, options }: ServerExtension): CompiledExtension<Invocation> {
  const { id } = extension;
  const place = `extensions[${JSON.stringify(id ?? 'vendor')}]`;
  checkFields(place, { ...options }, fields);
  checkFields(`${place}.notifications`, { ...options.notifications }, clientNotifications(extension));
  checkPositive(`${place}.timeoutMs`, options.timeoutMs);
  checkCache(`${place}.cache`, options.cache);
  const methods = Object.entries(extension.methods).map(([name, method]): [string, CompiledMethod] => {
    const handler = options.methods?.[name];
    if (typeof handler !== 'function')
      throw refused(`${place}.methods.${name} is not a function.`, `Write methods: { ${name}: (params) => … }.`);
    return [method.method, compileMethod(place, extension, method, handler as Handler, options)];
  });
  const notifications = compileReceivers(place, extension, options);
  return { id, settings: options.settings ?? {}, methods: new Map(methods), notifications };
}

interface ServedMethod extends CompiledMethod<Invocation> {
  readonly extension: ExtensionDefinition;
  readonly name: string;
  readonly readParams: Read;
  readonly readResult: Read;
  readonly readKinds: ReadonlyMap<string, Read>;
  readonly handler: Handler;
  readonly cache: CacheHint | undefined;
  readonly timeoutMs: number | undefined;
}

function compileMethod(
  place: string,
  extension: ExtensionDefinition,
  { method: name, params, result, resultTypes: resultKinds }: MethodDefinition,
  handler: Handler,
  { cache, timeoutMs }: ServerExtension['options'],
): ServedMethod {
  const at = `${place}.${name}`;
  const kinds = Object.entries(resultKinds).map(
    ([kind, schema]) => [kind, readValidator(schema, `${at}, ${kind}`)] as const,
  );
  return {
    extension,
    name,
    readParams: readValidator(params, `${at}, params`),
    readResult: readValidator(result, `${at}, result`),
    readKinds: new Map(kinds),
    handler,
    cache,
    timeoutMs,
    capability: undefined,
    target: (sent) => targetOf({ params: sent }),
    limit: () => timeoutMs,
    run: serveMethod,
  };
}

async function serveMethod(this: ServedMethod, invocation: Invocation): Promise<Settled> {
  const { extension, name, readParams, handler } = this;
  const settings = settingsOf(extension, invocation.context.caller);
  if (settings === undefined && extension.whenUndeclared !== 'serve')
    return extension.whenUndeclared === 'reject' ? undeclared(extension) : absent(name);
  limitTime(invocation, this.timeoutMs);
  const checked = await readParams(valueOf(invocation.call.params));
  if (!checked.ok)
    return rpcError(
      'invalid-params',
      `Invalid params for ${name}: ${issuesText(checked.issues)}`,
      issueDetails(checked.issues),
    );
  const context = new ExtensionCall(invocation, extension, settings);
  return outcomeOf(invocation, this, await handler(checked.value, context));
}

const settingsOf = ({ id }: ExtensionDefinition, { capabilities }: Pick<Caller, 'capabilities'>): Fields | undefined =>
  id === undefined ? undefined : capabilities.extensions?.[id];

const absent = (method: string) => rpcError('method-not-found', `Method not found: ${method}`, { method });

const undeclared = ({ id = '' }: ExtensionDefinition) =>
  rpcError('missing-client-capability', `The client must declare the extension ${id}`, {
    requiredCapabilities: { extensions: { [id]: {} } },
  });

/** Sends the value that the handler returned: transforms of the schema run where the result is read. */
async function outcomeOf(
  invocation: Invocation,
  { name, readResult, readKinds, cache }: ServedMethod,
  returned: unknown,
): Promise<Settled> {
  const kind = isTypedResult(returned) ? returned.type : undefined;
  const result = isTypedResult(returned) ? returned.value : returned;
  const read = kind === undefined ? readResult : readKinds.get(kind);
  if (read === undefined)
    throw new Error(`The handler of ${name} returned the type ${kind}, which is not in its resultTypes.`);
  if (result === undefined || (kind !== undefined && !isRecord(result)))
    throw new Error(`The handler of ${name} returned ${kind === undefined ? 'nothing' : 'no object'}.`);
  const checked = await read(result);
  if (!checked.ok) throw new Error(`The result of ${name} does not match its schema: ${issuesText(checked.issues)}`);
  const done = { resultType: 'complete', result: wrapped(result), cache: cacheOf(cache, invocation) } as const;
  return kind === undefined ? done : { ...done, extensionType: kind };
}

/** Results of a guarded server differ between callers, so they are private. */
function cacheOf(own: CacheHint | undefined, { cache: ofServer, guarded }: Invocation): CacheHint | undefined {
  const hint = own ?? ofServer;
  return hint === undefined || guarded === undefined ? hint : { ...hint, scope: 'private' };
}

/** The context of a call, as a handler of an extension sees it. */
class ExtensionCall implements ExtensionContext {
  readonly #invocation: Invocation;
  readonly #extension: ExtensionDefinition;
  readonly settings: Fields | undefined;

  constructor(invocation: Invocation, extension: ExtensionDefinition, settings: Fields | undefined) {
    this.#invocation = invocation;
    this.#extension = extension;
    this.settings = settings;
  }

  get signal(): AbortSignal {
    return this.#invocation.context.signal;
  }

  get caller(): Caller {
    return this.#invocation.context.caller;
  }

  get meta(): BaseContext['meta'] {
    return this.#invocation.context.meta;
  }

  get log(): BaseContext['log'] {
    return this.#invocation.context.log;
  }

  get reportProgress(): BaseContext['reportProgress'] {
    return this.#invocation.context.reportProgress;
  }

  get sees(): ExtensionContext['sees'] {
    return (resource) => this.#invocation.guarded?.sees({ resource }) ?? true;
  }

  get notify(): ExtensionContext['notify'] {
    return (notification, params) => {
      const { context, ports } = this.#invocation;
      const { id } = this.#extension;
      if (context.finished || (id !== undefined && this.settings === undefined)) return;
      ports.emit({ method: notification.method, params: outgoingParams(notification, params) });
    };
  }
}

/** Validates the params of a notification to send. Throws `invalid-outgoing-message` if they do not match their schema. */
function outgoingParams({ method, params: schema }: NotificationDefinition, params: unknown): Fields {
  const outcome = readValidator(schema, method)(params);
  if (isPromiseLike(outcome))
    throw unsendable(method, 'its schema is asynchronous; use a synchronous one for notifications');
  if (!outcome.ok) throw unsendable(method, issuesText(outcome.issues));
  if (!isRecord(params) && !Array.isArray(params)) throw unsendable(method, 'its params are no object and no list');
  return wrapped(params);
}

const unsendable = (method: string, why: string): TenonError =>
  new TenonError('invalid-outgoing-message', `The notification ${method} cannot be sent: ${why}.`);

/** Receivers of the clients' notifications, by method. */
function compileReceivers(
  place: string,
  extension: ExtensionDefinition,
  options: ServerExtension['options'],
): ReadonlyMap<string, NotificationReceiver> {
  const handlers: Readonly<Record<string, Handler | undefined>> = { ...(options.notifications as object) };
  const fromClients = Object.entries(extension.notifications).filter(([, { from }]) => from === 'client');
  return new Map(
    fromClients.map(([name, { method, params }]): [string, NotificationReceiver] => {
      const read = readValidator(params, `${place}.${method}, params`);
      return [
        method,
        (sender, params, failed) => receive(extension, method, read, handlers[name], sender, params, failed),
      ];
    }),
  );
}

/** A notification that does not match its schema is reported; one of a client that did not declare the extension is dropped. */
async function receive(
  extension: ExtensionDefinition,
  method: string,
  read: Read,
  handler: Handler | undefined,
  { caller, principal }: NotificationSender,
  params: Readonly<Fields>,
  failed: (error: unknown) => void,
): Promise<void> {
  const settings = settingsOf(extension, caller);
  if (handler === undefined || (settings === undefined && extension.whenUndeclared !== 'serve')) return;
  try {
    const outcome = await read(valueOf(params));
    if (!outcome.ok)
      throw new Error(
        `The client sent ${method} with params that do not match its schema: ${issuesText(outcome.issues)}`,
      );
    const { revision, client, capabilities } = caller;
    const sender: NotificationContext = {
      caller: { protocolVersion: revision.id, clientInfo: client, capabilities, principal },
      settings,
    };
    await handler(outcome.value, sender);
  } catch (error) {
    failed(error);
  }
}
