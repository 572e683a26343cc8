/** The extensions of a client: declares them, receives their notifications, and sends their requests. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import type {
  ExtensionDefinition,
  MethodDefinition,
  MethodResult,
  NotificationDefinition,
} from '../../protocol/extensions/extension.ts';
import { valueOf, wrapped } from '../../protocol/extensions/plain-value.ts';
import type { ServerCapabilities } from '../../protocol/generated/types/records.ts';
import type { Notification } from '../../protocol/neutral.ts';
import { samplingMethod } from '../../protocol/sampling.ts';
import { tasksExtension } from '../../protocol/tasks/extension-tasks.ts';
import { issuesText } from '../../schema/issues.ts';
import { readValidator } from '../../schema/reading.ts';
import type { ClientExtension, ClientExtensions, ClientNotificationDefinition } from '../api/extensions.ts';
import { need } from './capabilities.ts';

export interface RequestingPorts<Options> {
  /** The capabilities of the server, if they are known now. */
  capabilities(): ServerCapabilities;
  /** The same, once there is a connection. */
  waitForCapabilities(): Promise<ServerCapabilities>;
  request(method: string, params: Fields, options?: Options): Promise<Fields>;
  notify(method: string, params: Fields): void;
}

/**
 * Listeners of extensions that run at once.
 * @limit client
 * @beyond the notification is dropped, `onWarning`
 * @code queue-full
 */
const maxListeners = 100;

/** The extensions of a client: those with a definition, and those that are only declared. */
export class Extensions {
  readonly #used: readonly ClientExtension[];
  /** Listeners that run. */
  #running = 0;
  /** The settings that are declared to the server. */
  readonly declared: Record<string, Record<string, unknown>> | undefined;
  /** The same with tasks, for requests whose result may be one. */
  readonly declaredWithTasks: Record<string, Record<string, unknown>>;

  constructor(used: readonly ClientExtension[], declared: Extensions['declared']) {
    this.#used = used;
    this.declared = declared && Object.keys(declared).length > 0 ? declared : undefined;
    this.declaredWithTasks = { ...declared, [tasksExtension]: {} };
  }

  get contracts(): ExtensionDefinition[] {
    return this.#used.map(({ extension }) => extension);
  }

  /** Calls the listener of an extension; returns whether the notification belongs to one. */
  onNotification({ method, params = {} }: Notification, warn: (error: TenonError) => void): boolean {
    const found = this.#used.find(({ extension }) => notificationNamed(extension, method) !== undefined);
    if (found === undefined) return false;
    if (this.#running >= maxListeners) warn(tooMany(method));
    else {
      this.#running++;
      void callListener(found, method, params, warn).finally(() => this.#running--);
    }
    return true;
  }

  /** Sends a request by its definition. */
  async request<M extends MethodDefinition, Options>(
    ports: RequestingPorts<Options>,
    method: M,
    params: unknown,
    options?: Options,
  ): Promise<MethodResult<M>> {
    const owner = this.#ownerOf(method, 'methods');
    const sent = await sendable(method, params ?? {});
    const capabilities = await ports.waitForCapabilities();
    needDeclared(owner, capabilities);
    if (method.method === samplingMethod) need(capabilities, 'sampling', samplingMethod);
    const result = await ports.request(method.method, sent, options);
    return (await readAnswer(method, result)) as MethodResult<M>;
  }

  notify(
    ports: Pick<RequestingPorts<unknown>, 'capabilities' | 'notify'>,
    notification: ClientNotificationDefinition,
    params: unknown,
  ): void {
    needDeclared(this.#ownerOf(notification, 'notifications'), ports.capabilities());
    const validation = readValidator(notification.params, notification.method)(params);
    if (validation instanceof Promise || !validation.ok || !isStructured(params))
      throw unsendable(
        notification.method,
        validation instanceof Promise || validation.ok ? 'no object and no list' : issuesText(validation.issues),
      );
    ports.notify(notification.method, wrapped(params));
  }

  /** Throws unless the definition was passed to the client. */
  #ownerOf(
    one: MethodDefinition | ClientNotificationDefinition,
    list: 'methods' | 'notifications',
  ): ExtensionDefinition {
    const owner = this.contracts.find((each) => (Object.values(each[list]) as readonly unknown[]).includes(one));
    if (owner !== undefined) return owner;
    throw new TenonError('invalid-argument', `This client has no extension with ${one.method}.`, {
      hint: 'Pass it to connect: connect(target, { extensions: [extension] }).',
    });
  }
}

const noExtensions = new Extensions([], undefined);

export function readExtensions(option: ClientExtensions | undefined): Extensions {
  if (option === undefined) return noExtensions;
  if (!Array.isArray(option)) return new Extensions([], option as Extensions['declared']);
  const used = option.map(asUsed);
  const settings = used.flatMap(({ extension, settings }) =>
    extension.id === undefined ? [] : [[extension.id, { ...settings }] as const],
  );
  return new Extensions(used, Object.fromEntries(settings));
}

const asUsed = (one: ExtensionDefinition | ClientExtension): ClientExtension =>
  one.type === 'used-extension' ? one : { type: 'used-extension', extension: one, settings: {}, notifications: {} };

const notificationNamed = (
  { notifications }: ExtensionDefinition,
  method: string,
): [string, NotificationDefinition] | undefined =>
  Object.entries(notifications).find(([, one]) => one.method === method && one.from === 'server');

/** Notifications are validated before a listener gets them. */
async function callListener(
  { extension, notifications: listeners }: ClientExtension,
  method: string,
  params: Fields,
  warn: (error: TenonError) => void,
): Promise<void> {
  const [name, { params: schema }] = notificationNamed(extension, method) as [string, NotificationDefinition];
  const validation = await readValidator(schema, method)(valueOf(params));
  if (!validation.ok) return warn(new TenonError('invalid-message', `${method}: ${issuesText(validation.issues)}`));
  try {
    await (listeners[name] as ((params: unknown) => unknown) | undefined)?.(validation.value);
  } catch (cause) {
    warn(new TenonError('callback-failed', `The handler of ${method} threw.`, { cause }));
  }
}

/** Sends the params unchanged: a schema with a transform applies it on the server. */
async function sendable({ method, params: schema }: MethodDefinition, params: unknown): Promise<Fields> {
  const validation = await readValidator(schema, method)(params);
  if (!validation.ok) throw unsendable(method, issuesText(validation.issues));
  if (!isStructured(params)) throw unsendable(method, 'no object and no list');
  return wrapped(params);
}

/** JSON-RPC has params of these two kinds only. */
const isStructured = (params: unknown): boolean => isRecord(params) || Array.isArray(params);

async function readAnswer(
  { method, result: schema, resultTypes: resultKinds }: MethodDefinition,
  answered: Fields,
): Promise<unknown> {
  const { resultType: givenType, ...result } = answered;
  // Some servers send `complete` in sessions too.
  const resultType = givenType === 'complete' ? undefined : givenType;
  const kind = String(resultType);
  const resultSchema = resultType === undefined ? schema : Object.hasOwn(resultKinds, kind) && resultKinds[kind];
  const validation = resultSchema ? await readValidator(resultSchema, method)(valueOf(result)) : undefined;
  if (validation?.ok)
    return resultType === undefined ? validation.value : { ...(validation.value as object), resultType };
  const why = validation === undefined ? `unknown resultType ${String(resultType)}` : issuesText(validation.issues);
  throw new TenonError('invalid-result', `Invalid result of ${method}: ${why}`);
}

function needDeclared({ id }: ExtensionDefinition, { extensions }: ServerCapabilities): void {
  if (id === undefined || isRecord(extensions?.[id])) return;
  throw new TenonError('capability-not-supported', `The server did not declare the extension ${id}.`, {
    details: { capability: 'extensions', extension: id },
  });
}

const tooMany = (method: string): TenonError =>
  new TenonError('queue-full', `${method} was dropped: ${maxListeners} listeners of extensions run.`, {
    hint: 'Return sooner from listeners of notifications.',
    details: { maxListeners },
  });

const unsendable = (method: string, why: string): TenonError =>
  new TenonError('invalid-outgoing-message', `Invalid params for ${method}: ${why}`);
