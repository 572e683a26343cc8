/** An extension as a contract that both sides share: its identifier, methods, notifications and types of results. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Fields } from '../../lib/values/is.ts';
import type { Input, Output, StandardSchema } from '../../schema/standard.ts';
import { extensionsProblem } from '../meta-keys.ts';
import type { Side } from '../neutral.ts';
import { revisions } from '../revisions/revisions.ts';
import { samplingMethod } from '../sampling.ts';

/** Schemas of results other than the plain one, by `resultType`. Only protocol versions without sessions have result types. */
export type ResultTypes = Readonly<Record<string, StandardSchema>>;

/** A request that a client sends. */
export interface MethodDefinition<
  P extends StandardSchema = StandardSchema,
  R extends StandardSchema = StandardSchema,
  K extends ResultTypes = ResultTypes,
> {
  readonly type: 'method';
  /** The name of the method in messages, such as `acme/hello`. */
  readonly method: string;
  /** The schema of its params. */
  readonly params: P;
  /** The schema of its plain result. */
  readonly result: R;
  /** The schemas of its other results, by `resultType`. */
  readonly resultTypes: K;
  /** Whether its result carries a cache hint, in revisions that have one. */
  readonly cacheable: boolean;
}

/** A notification that one side sends. */
export interface NotificationDefinition<P extends StandardSchema = StandardSchema, From extends Side = Side> {
  readonly type: 'notification';
  /** The name of the notification in messages. */
  readonly method: string;
  /** The side that sends it. */
  readonly from: From;
  /** The schema of its params. */
  readonly params: P;
}

/** The methods of an extension, by the names your code uses for them. */
export type Methods = Readonly<Record<string, MethodDefinition>>;
/** The notifications of an extension, by the names your code uses for them. */
export type Notifications = Readonly<Record<string, NotificationDefinition>>;

/** What a server does for a client that did not declare the extension: hide it, reject its methods by an error that names it, or serve it. */
export type WhenUndeclared = 'hide' | 'reject' | 'serve';

/** An extension: what `defineExtension` returns, and what `serveExtension` and `useExtension` take. */
export interface ExtensionDefinition<M extends Methods = Methods, N extends Notifications = Notifications> {
  readonly type: 'extension';
  /** Absent for vendor methods, which neither side declares. */
  readonly id: string | undefined;
  /** Its methods, by the names your code uses for them. */
  readonly methods: M;
  /** Its notifications, by the names your code uses for them. */
  readonly notifications: N;
  /** What a server does for a client that did not declare it. */
  readonly whenUndeclared: WhenUndeclared;
  /** Whether it is also available in revisions with sessions, declared in their capabilities. */
  readonly availableInSessions: boolean;
}

/** What a client receives: the plain result, or one of another type, which `resultType` names. */
export type MethodResult<M extends MethodDefinition> = Output<M['result']> | TypedOutputs<M['resultTypes']>;

type TypedOutputs<K extends ResultTypes> = string extends keyof K
  ? never
  : { [Name in keyof K & string]: { readonly resultType: Name } & Output<K[Name]> }[keyof K & string];

/** What a handler returns: the plain result, or one of another type made by `typedResult`. */
export type MethodResultInput<M extends MethodDefinition> = Input<M['result']> | TypedInputs<M['resultTypes']>;

type TypedInputs<K extends ResultTypes> = string extends keyof K
  ? never
  : { [Name in keyof K & string]: TypedResult<Name, Input<K[Name]>> }[keyof K & string];

/** A result of one of the types in `resultTypes`: what `typedResult` returns. */
export interface TypedResult<Name extends string = string, Value = unknown> {
  /** The `resultType` of the result. */
  readonly type: Name;
  /** The result itself. */
  readonly value: Value;
}

const typedResults = new WeakSet<object>();

/** Marks the result of a handler as one of `resultTypes`. */
export function typedResult<const Name extends string, Value>(type: Name, value: Value): TypedResult<Name, Value> {
  const marked = { type, value };
  typedResults.add(marked);
  return marked;
}

export const isTypedResult = (value: unknown): value is TypedResult =>
  typeof value === 'object' && value !== null && typedResults.has(value);

/** Describes a request of a client. Params are an object or a list, the result is any JSON; both sides validate them. */
export const defineMethod = <
  P extends StandardSchema,
  R extends StandardSchema,
  K extends ResultTypes = Readonly<Record<never, never>>,
>(
  name: string,
  shape: { readonly params: P; readonly result: R; readonly resultTypes?: K; readonly cacheable?: boolean },
): MethodDefinition<P, R, K> => ({
  type: 'method',
  method: name,
  params: shape.params,
  result: shape.result,
  resultTypes: shape.resultTypes ?? ({} as K),
  cacheable: shape.cacheable ?? false,
});

/** Describes a notification that the side `from` sends. */
export const defineNotification = <P extends StandardSchema, const From extends Side>(
  name: string,
  shape: { readonly from: From; readonly params: P },
): NotificationDefinition<P, From> => ({ type: 'notification', method: name, from: shape.from, params: shape.params });

/** The options of `defineExtension`. */
export interface ExtensionOptions<M, N> {
  /** Requests that clients send, each made by `defineMethod`. */
  readonly methods?: M;
  /** Notifications of either side, each made by `defineNotification`. */
  readonly notifications?: N;
  /** What a server does for a client that did not declare the extension. Default `hide`. */
  readonly whenUndeclared?: WhenUndeclared;
  /** Whether the extension also works in protocol versions that begin with `initialize`. Default `false`. */
  readonly availableInSessions?: boolean;
}

type None = Readonly<Record<never, never>>;

/** Describes an extension. Throws `invalid-definition` for an invalid identifier or method name. */
export function defineExtension<const M extends Methods = None, const N extends Notifications = None>(
  id: string,
  parts: ExtensionOptions<M, N> = {},
): ExtensionDefinition<M, N> {
  const problem = extensionsProblem({ [id]: {} });
  if (problem !== undefined) throw refused(`extension${problem}.`, "Write it as 'com.example/name'.");
  return assembled(id, { whenUndeclared: 'hide', availableInSessions: false, ...parts });
}

/** Describes vendor methods and notifications: neither side declares them, and every revision has them. */
export const defineVendorMethods = <const M extends Methods = None, const N extends Notifications = None>(
  parts: Pick<ExtensionOptions<M, N>, 'methods' | 'notifications'>,
): ExtensionDefinition<M, N> => assembled(undefined, { ...parts, whenUndeclared: 'serve', availableInSessions: true });

function assembled<M extends Methods, N extends Notifications>(
  id: string | undefined,
  {
    methods = {} as M,
    notifications = {} as N,
    whenUndeclared = 'hide',
    availableInSessions = false,
  }: ExtensionOptions<M, N>,
): ExtensionDefinition<M, N> {
  for (const one of [...Object.values(methods), ...Object.values(notifications)]) checkName(id, one.method);
  for (const { method, resultTypes: resultKinds } of Object.values(methods)) checkResultTypes(method, resultKinds);
  return Object.freeze({ type: 'extension', id, methods, notifications, whenUndeclared, availableInSessions });
}

/** A name needs a prefix, and must not be a method of the protocol in any revision. Sampling may also be offered by a server. */
function checkName(id: string | undefined, name: string): void {
  const place = `${id ?? 'defineVendorMethods'}: ${JSON.stringify(name)}`;
  if (!/^[\w$.-]+(\/[\w$.-]+)+$/.test(name) || name.startsWith('rpc.'))
    throw refused(`${place} is not a valid method name.`, "Write it with a prefix, as 'acme/hello'.");
  const isTaken = revisions.some(({ client, server }) =>
    [client, server].some(({ requests, notifications }) => requests.has(name) || notifications.has(name)),
  );
  const isMethodOfProtocol = isTaken && name !== samplingMethod;
  if (isMethodOfProtocol || /^(notifications\/)?tasks(\/|$)/.test(name))
    throw refused(`${place} is a method of the protocol.`, 'Choose another prefix.');
}

const coreResultTypes: ReadonlySet<string> = new Set(['complete', 'input_required', 'task']);

function checkResultTypes(method: string, kinds: Readonly<Fields>): void {
  const taken = Object.keys(kinds).find((type) => coreResultTypes.has(type));
  if (taken !== undefined)
    throw refused(`${method}: ${taken} is a result type of the protocol.`, 'Choose another name.');
}

const refused = (text: string, hint: string): TenonError => new TenonError('invalid-definition', text, { hint });
