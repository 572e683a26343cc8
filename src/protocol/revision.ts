/** One revision of the protocol, as data. Other code reads this data instead of comparing versions. */
import type { ErrorObject, RpcError } from '../jsonrpc/errors.ts';
import type { Fields } from '../lib/values/is.ts';
import type { CompatOptions } from './dialects/compat-options.ts';
import type { ErrorNumbers, ErrorTexts } from './errors.ts';
import type { Fitting } from './fitting/fitting.ts';
import type { Implementation } from './generated/types/records.ts';
import type { Check } from './model/primitives.ts';
import type { Incoming, InputRequest, Notification, Outcome, Outgoing, Reading, Side } from './neutral.ts';
import type { TaskForm } from './tasks/task-form.ts';

export interface ParamsCheck {
  readonly params: Check;
  /** Whether the message may leave its params out. */
  readonly optional: boolean;
}

export interface RequestCheck extends ParamsCheck {
  readonly result: Check;
}

/** The messages one side may send. A method that is not here does not exist in the revision. */
export interface SideChecks {
  readonly requests: ReadonlyMap<string, RequestCheck>;
  readonly notifications: ReadonlyMap<string, ParamsCheck>;
}

/** How the two sides exchange version and capabilities: once, by `initialize`, or in every request. */
export type Lifecycle = 'session' | 'exchange';

export interface HttpRules {
  /** Whether requests after the first carry the revision in a header. */
  readonly versionHeader: boolean;
  /** Whether a broken stream can be resumed. */
  readonly resumable: boolean;
  /** Whether a stream begins with an event that only has an id, so that the client can disconnect and resume. */
  readonly polling: boolean;
  /** Whether headers mirror the method and the name. */
  readonly routingHeaders: boolean;
}

/** Converts a value that deviates from the specification, where its meaning is clear. Runs only after a check failed. */
export type Fix = (value: unknown, check: Check) => unknown;

/** The fixes for values that the checkers refuse, by method. */
export interface Fixes {
  readonly params: ReadonlyMap<string, Fix>;
  readonly results: ReadonlyMap<string, Fix>;
  /** Converts unofficial spellings in valid results to the official ones. */
  readonly spellings: ReadonlyMap<string, (result: Fields) => Fields>;
}

/** Sends a server request in another form than the specification's, and resolves with the result as it specifies it. */
export type RequestForm = (request: InputRequest, send: (request: InputRequest) => Promise<Fields>) => Promise<Fields>;

export interface Revision {
  readonly id: string;
  readonly lifecycle: Lifecycle;
  readonly client: SideChecks;
  readonly server: SideChecks;
  /** Methods of server requests: separate requests in a session, parts of a result without sessions. */
  readonly serverRequests: ReadonlySet<string>;
  /** Whether several messages may travel in one array. */
  readonly batches: boolean;
  /** Whether a server that completes arguments declares it. */
  readonly declaresCompletions: boolean;
  /** Whether an error always has an id, if only `null` where the request's could not be read. */
  readonly errorsHaveId: boolean;
  readonly http: HttpRules;
  readonly errorNumbers: ErrorNumbers;
  /** The messages of errors, where the peer expects its own. */
  readonly errorTexts?: ErrorTexts;
  /** How the peer differs from the specification, if that was chosen for its connection alone. */
  readonly compat?: CompatOptions;
  readonly fitting: Fitting;
  readonly fixes: Fixes;
  readonly wire: Wire;
  /** By method: the server requests that the peer exchanges in another form. */
  readonly requestForms?: ReadonlyMap<string, RequestForm>;
  /** The parts of the chosen extensions other than checks of messages. */
  readonly extended?: Extended;
  /** How tasks are exchanged; absent in revisions without them. */
  readonly tasks?: TaskForm;
}

export interface Extended {
  /** The names of its messages. */
  readonly messages: ReadonlySet<string>;
  /** Methods whose results must carry a cache hint. */
  readonly cacheable: ReadonlySet<string>;
  /** By method: the types of results it can have beside those of the protocol. */
  readonly resultKinds: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Turns JSON into neutral values and back. Pure; the only code that knows envelope keys and error numbers. */
export interface Wire {
  readRequest(revision: Revision, from: Side, method: string, params: unknown): Reading<Incoming>;
  readNotification(revision: Revision, from: Side, method: string, params: unknown): Reading<Notification>;
  /** `asker` is the side that sent the request which this answers. */
  readResult(revision: Revision, asker: Side, method: string, result: unknown): Reading<Outcome>;
  writeRequest(revision: Revision, from: Side, call: Outgoing): Reading<Fields | undefined>;
  writeNotification(revision: Revision, from: Side, notification: Notification): Reading<Fields | undefined>;
  writeResult(revision: Revision, asker: Side, method: string, outcome: Outcome, by?: Implementation): Reading<Fields>;
  writeError(revision: Revision, error: RpcError): ErrorObject;
}
