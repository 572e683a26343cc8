/** What a row of the attack table is: who attacks, what is sent, and the exact refusal. */
import type { AuditKind } from 'tenon/guard';

export type Json = Record<string, unknown>;

/** Who attacks: docs/security.md describes each. */
export type Attacker =
  | 'a caller' // signed in, and wants more than it may have; or a model that was deceived
  | 'another principal' // signed in, and wants what belongs to a different one
  | 'a stranger' // without credentials
  | 'a web page' // in the browser of a user whose machine runs a server
  | 'a server' // that a host is connected to
  | 'a policy author'; // who writes rules that cost too much, or hide what they do

/** The principals of the server under attack. `mallory` has the subject of `alice` at another issuer. */
export type Who = 'alice' | 'bob' | 'mallory' | 'anonymous';

/** One HTTP request. `{name}` in a header, the path or the body is what an earlier step kept under that name. */
export interface HttpStep {
  readonly as?: Who;
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** A text is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  /** What later steps use: a response header, a member of the JSON, the ID of the last event, or a match of the text. */
  readonly keeps?: Readonly<Record<string, Kept>>;
  /** The response is left open once it has this many events; only for steps before the last. */
  readonly leavesOpenAfter?: number;
}

export type Kept = { readonly header: string } | { readonly json: string } | 'last event' | { readonly text: RegExp };

/** The tools of a server: names with descriptions. */
export type OfferedTools = Readonly<Record<string, string>>;

/** Servers that attack the host they are connected to. A tool returns the name of its server and its own. */
export interface HostAttack {
  readonly servers: Readonly<Record<string, OfferedTools>>;
  /** Whether the host has a lock, and a person approves what the servers offer at first. */
  readonly locked?: boolean;
  /** What the servers offer later. */
  readonly later?: Readonly<Record<string, OfferedTools>>;
  /** When they do: before the first call, while the user is asked about it, or after it. Default before. */
  readonly when?: 'before' | 'while asked' | 'after';
  readonly policy?: string;
  /** What the hook of the host does. Without it there is no hook. */
  readonly consent?: 'allow' | 'deny' | 'throw' | 'allow the first';
  /** The tools that are called by their names in the host, some with an argument `to`; the outcome of the last counts. */
  readonly calls: readonly (string | readonly [name: string, to: string])[];
}

/** What is sent. */
export type Sent =
  /** One message to the server under attack, in memory. */
  | { readonly message: Json | string; readonly as?: Who }
  /** Requests to the server under attack; the last is the attack. */
  | { readonly http: readonly HttpStep[]; readonly strict?: boolean }
  /** Lines to the standard input of a server; the answer to the id `attack` counts. */
  | { readonly lines: readonly (Json | string)[] }
  /** A request that a policy decides about. */
  | { readonly policy: string; readonly request: Json }
  /** A document that someone wants to be a policy. */
  | { readonly document: string }
  /** What servers offer to a host, and the call of its user. */
  | { readonly host: HostAttack }
  /** A call of code that a user of Tenon writes, such as a schema or an option. */
  | { readonly code: () => unknown };

/** What must happen. */
export interface Refusal {
  /** The HTTP status. */
  readonly status?: number;
  /** The code of the error of JSON-RPC, the code of a `TenonError`, or the effect of a decision; `served` where the attack is harmless. */
  readonly code?: number | string;
  /** A part of the message; of a decision the rule or the reason; of what was served the whole text. */
  readonly because?: string;
  /** Also the answer to this must be the same, byte for byte: the two cannot be distinguished. */
  readonly sameAs?: Sent;
  /** The answer must be the same, byte for byte, with the first text replaced by the second, which names nothing. */
  readonly likeUnknown?: readonly [name: string, unknown: string];
  /** What the answer must not have. */
  readonly lacks?: string;
}

export interface Attack {
  /** The subject and a number: what docs/security.md names. Never reused. */
  readonly id: string;
  readonly attacker: Attacker;
  /** What it does: the predicate of a sentence. */
  readonly does: string;
  readonly sends: Sent;
  readonly gets: Refusal;
  /** The kind of an audit record that must exist, or several of which one must; none where there is neither a principal nor a decision. */
  readonly audited?: AuditKind | readonly AuditKind[] | undefined;
}
