/** A lock of approved definitions: its interface for hosts, and the values that it compares. `createLock` and `lockFile` of `tenon/guard` make one. */

/** The kinds of definitions that a server lists. */
export type ListedKind = 'tool' | 'prompt' | 'resource' | 'template';

/** A server that a host is connected to, apart from what it lists: its command or URL, and the name it gives itself. */
export type ServerIdentity = Readonly<Record<string, string>>;

/** The identity and the definitions of a server now. A kind that was not listed is absent, and not compared. */
export interface SeenServer {
  /** What the server is. */
  readonly identity: ServerIdentity;
  /** Its instructions, if it has any. */
  readonly instructions: string | undefined;
  /** Its definitions, as it lists them. */
  readonly definitions: Readonly<Partial<Record<ListedKind, readonly object[]>>>;
}

/** What was approved of one server. */
export interface ApprovedServer {
  /** What the server was when it was approved. */
  readonly identity: ServerIdentity;
  /** Its instructions, if they were approved. */
  readonly instructions: string | undefined;
  /** Its definitions, whole. A kind that the lock leaves out is absent. */
  readonly definitions: Readonly<Partial<Record<ListedKind, readonly object[]>>>;
}

/** A definition, or the instructions of a server. */
export interface LockedItem {
  /** What it is. */
  readonly kind: ListedKind | 'instructions';
  /** Its name, its URI or its URI template; empty for instructions. */
  readonly name: string;
}

/** A field whose value changed. */
export interface LockedField {
  /** The path to the field, such as `inputSchema.properties.path.description`. */
  readonly field: string;
  /** The approved value as JSON, shortened; `undefined` if there was none. */
  readonly before: string | undefined;
  /** The value now as JSON, shortened; `undefined` if there is none. */
  readonly after: string | undefined;
}

/** A definition, or instructions, that was not approved. */
export interface AddedItem extends LockedItem {
  /** Its description, or the instructions, as JSON, shortened; `undefined` if it has none. */
  readonly description: string | undefined;
}

/** A definition that is not the approved one. */
export interface ChangedItem extends LockedItem {
  /** What changed: the first 20 fields. */
  readonly fields: readonly LockedField[];
  /** How many further fields changed. */
  readonly more: number;
}

/** How a server differs from what was approved. */
export interface LockComparison {
  /** Whether anything of this server was approved. */
  readonly known: boolean;
  /** The fields of the identity that differ. If there are any, it is another server, and nothing of it is approved. */
  readonly identity: readonly LockedField[];
  /** The name under which the same server was approved, if it has another one now. */
  readonly approvedAs: string | undefined;
  /** Definitions that were not approved. They are hidden. */
  readonly added: readonly AddedItem[];
  /** Definitions that differ from the approved ones. Calls of them are refused. */
  readonly changed: readonly ChangedItem[];
  /** Approved definitions that the server no longer has. */
  readonly removed: readonly LockedItem[];
}

/** Holds the approved definitions and instructions of each server. Pass it as `lock` of `createHost`. */
export interface Lock {
  /** `check` changes nothing, and refuses a server with any difference: for CI. */
  readonly mode: 'enforce' | 'check';
  /** Compares a server with what was approved. */
  compare(server: string, seen: SeenServer): Promise<LockComparison>;
  /** Approves what was seen of a server: everything, or the items. */
  approve(server: string, seen: SeenServer, items?: readonly LockedItem[]): Promise<void>;
  /** Withdraws everything that was approved of a server. */
  remove(server: string): Promise<void>;
  /** The names of the servers that something was approved of. */
  servers(): Promise<readonly string[]>;
  /** What was approved of a server: for lists without a connection. `undefined` if nothing was. */
  definitions(server: string): Promise<ApprovedServer | undefined>;
  /** Whether the instructions are the approved ones, as far as was last read. */
  allowsInstructions(server: string, text: string): boolean;
}

export const hasDrift = ({ known, identity, added, changed, removed }: LockComparison): boolean =>
  !known || identity.length + added.length + changed.length + removed.length > 0;

/** The kind and name of an added or changed definition. */
export const itemOf = ({ kind, name }: LockedItem): LockedItem => ({ kind, name });
